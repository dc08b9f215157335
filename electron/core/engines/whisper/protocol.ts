import type { Diarization, DiarizerTask } from '../diarizer/types.ts';
import type {
  LanguageGuess,
  ModelFacts,
  ModelOptions,
  NativeErrorCode,
  SpeechParams,
  SpeechSpan,
  SystemInfo,
  TranscribeParams,
  WhisperResult,
  WhisperSegment,
} from './addon.ts';

/**
 * What the engine and its worker process say to each other. The audio travels inside the message as a
 * structured clone: a piece is a few megabytes, which costs milliseconds beside seconds of recognition, and
 * no copy of what was said is ever left in a temporary file.
 */
export type WorkerTask =
  | {
      kind: 'transcribe';
      modelPath: string;
      modelOptions: ModelOptions;
      pcm: Float32Array;
      params: TranscribeParams;
    }
  | {
      kind: 'detectLanguage';
      modelPath: string;
      modelOptions: ModelOptions;
      pcm: Float32Array;
      threads: number;
    }
  | { kind: 'detectSpeech'; pcm: Float32Array; params: SpeechParams }
  | { kind: 'modelFacts'; modelPath: string }
  | DiarizerTask;

/** What each kind of task answers. */
export type TaskResults = {
  transcribe: WhisperResult;
  detectLanguage: LanguageGuess;
  detectSpeech: SpeechSpan[];
  modelFacts: ModelFacts;
  diarizePiece: null;
  diarizeEnd: Diarization;
  trySpeakerModel: null;
};

export type TaskResult = TaskResults[keyof TaskResults];

export type ToWorker =
  | { type: 'run'; id: number; task: WorkerTask }
  | { type: 'abort'; id: number }
  | { type: 'stop' };

export type FromWorker =
  | { type: 'ready'; system: SystemInfo }
  | { type: 'unusable'; message: string }
  | { type: 'progress'; id: number; percent: number }
  | { type: 'segment'; id: number; segment: WhisperSegment }
  | { type: 'language'; id: number; guess: LanguageGuess }
  | { type: 'done'; id: number; result: TaskResult }
  | { type: 'failed'; id: number; code: NativeErrorCode; message: string };

/** The worker's arguments: the addon's path, then `--probe` for a process that only tries to load it. */
export const PROBE_FLAG = '--probe';
