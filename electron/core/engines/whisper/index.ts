export type {
  LanguageGuess,
  ModelFacts,
  ModelOptions,
  SpeechParams,
  SpeechSpan,
  SystemInfo,
  TranscribeParams,
  WhisperResult,
  WhisperSegment,
  WhisperToken,
} from './addon.ts';
export {
  createWhisperEngine,
  type DetectLanguageRequest,
  type TranscribeRequest,
  type WhisperEngine,
  type WhisperEngineOptions,
} from './engine.ts';
export { fittedContext } from './fitted-context.ts';
export { defaultParallelism, type Parallelism } from './parallelism.ts';
export { collapseLoops, isRepetitive } from './repetition.ts';
export { type CleanSegment, cleanSegment, joinWords, type Word } from './words.ts';
export { type ForkWorker, forkNodeWorker, type WorkerProcess } from './worker-process.ts';
