import { z } from 'zod';
import { Pcm, type TaskDefinition } from '../worker/protocol.ts';
import {
  LanguageGuess,
  ModelFacts,
  ModelOptions,
  SystemInfo,
  TranscribeParams,
  WhisperResult,
} from './types.ts';

/** The engine's name among the worker's arguments. */
export const WHISPER_ENGINE = 'whisper';

const TranscribeInput = z.object({
  modelPath: z.string(),
  modelOptions: ModelOptions,
  pcm: Pcm,
  params: TranscribeParams,
});

const TranscribeEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), percent: z.number() }),
  z.object({ type: z.literal('language'), guess: LanguageGuess }),
]);
export type TranscribeEvent = z.output<typeof TranscribeEvent>;

const DetectLanguageInput = TranscribeInput.omit({ params: true }).extend({ threads: z.number() });
const ModelFactsInput = z.object({ modelPath: z.string() });

export const transcribeTask: TaskDefinition<
  z.output<typeof TranscribeInput>,
  WhisperResult,
  TranscribeEvent
> = {
  kind: 'transcribe',
  input: TranscribeInput,
  result: WhisperResult,
  event: TranscribeEvent,
};

export const detectLanguageTask: TaskDefinition<z.output<typeof DetectLanguageInput>, LanguageGuess> = {
  kind: 'detectLanguage',
  input: DetectLanguageInput,
  result: LanguageGuess,
};

/** Checks a whole model file without loading it. */
export const modelFactsTask: TaskDefinition<z.output<typeof ModelFactsInput>, ModelFacts> = {
  kind: 'modelFacts',
  input: ModelFactsInput,
  result: ModelFacts,
};

export const systemInfoTask: TaskDefinition<null, SystemInfo> = {
  kind: 'systemInfo',
  input: z.null(),
  result: SystemInfo,
};
