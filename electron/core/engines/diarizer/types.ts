/** The worker's argument for a process that tells speakers apart. */
export const DIARIZER_FLAG = '--diarizer';

/** A stretch of one speaker's speech; seconds. Speakers are numbered from 0, in no particular order. */
export type SpeakerTurn = { readonly start: number; readonly end: number; readonly speaker: number };

/** How a speaker sounds: the mean of the embeddings of the speaker's turns, of length 1. */
export type SpeakerVoice = { readonly speaker: number; readonly embedding: Float32Array };

/** Who speaks when, and how they sound; a speaker without a turn long enough to listen to has no voice. */
export type Diarization = { readonly turns: SpeakerTurn[]; readonly voices: SpeakerVoice[] };

/** Where the ONNX models of diarization are. */
export type DiarizationModels = {
  readonly segmentation: string;
  readonly embedding: string;
  /** From which cosine on two means of embeddings of one recording are one voice. */
  readonly sameVoice: number;
};

/** What a model of diarization is for: finding turns, or comparing voices. */
export type SpeakerModelPart = 'segmentation' | 'embedding';

/** What the worker is asked: pieces of 16 kHz mono sound one after the other, then the end; or to try a model. */
export type DiarizerTask =
  | { kind: 'diarizePiece'; models: DiarizationModels; pcm: Float32Array }
  | { kind: 'diarizeEnd'; models: DiarizationModels; speakers: number | null }
  /** `beside` is a model of the other part that is known to be good. */
  | { kind: 'trySpeakerModel'; part: SpeakerModelPart; path: string; beside: string };
