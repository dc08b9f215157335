/** The worker's argument for a process that tells speakers apart. */
export const DIARIZER_FLAG = '--diarizer';

/** A stretch of one speaker's speech; seconds. Speakers are numbered from 0, in no particular order. */
export type SpeakerTurn = { readonly start: number; readonly end: number; readonly speaker: number };

/** Where the ONNX models of diarization are. */
export type DiarizationModels = { readonly segmentation: string; readonly embedding: string };

/** What the worker is asked: pieces of 16 kHz mono sound one after the other, then the end. */
export type DiarizerTask =
  | { kind: 'diarizePiece'; models: DiarizationModels; speakers: number | null; pcm: Float32Array }
  | { kind: 'diarizeEnd'; models: DiarizationModels; speakers: number | null };
