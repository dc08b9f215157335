import { z } from 'zod';
import type { TaskDefinition } from '../worker/protocol.ts';
import type { Device } from './devices/types.ts';
import { LanguageGuess, ModelFacts, SystemInfo, type TranscribeParams, WhisperResult } from './types.ts';

type DetectLanguageInput = {
  readonly modelPath: string;
  readonly device: Device;
  readonly pcm: Float32Array;
  readonly threads: number;
};
type TranscribeInput = Omit<DetectLanguageInput, 'threads'> & { readonly params: TranscribeParams };

const TranscribeEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), percent: z.number() }),
  z.object({ type: z.literal('language'), guess: LanguageGuess }),
]);
export type TranscribeEvent = z.output<typeof TranscribeEvent>;

export const transcribeTask: TaskDefinition<'transcribe', TranscribeInput, WhisperResult, TranscribeEvent> = {
  kind: 'transcribe',
  result: WhisperResult,
  event: TranscribeEvent,
};

export const detectLanguageTask: TaskDefinition<'detectLanguage', DetectLanguageInput, LanguageGuess> = {
  kind: 'detectLanguage',
  result: LanguageGuess,
};

type SpeechProbabilitiesInput = { readonly modelPath: string; readonly pcm: Float32Array };

export const speechProbabilitiesTask: TaskDefinition<
  'speechProbabilities',
  SpeechProbabilitiesInput,
  Float32Array
> = {
  kind: 'speechProbabilities',
  result: z.instanceof(Float32Array),
};

/** Checks a whole model file without loading it. */
export const modelFactsTask: TaskDefinition<'modelFacts', { readonly modelPath: string }, ModelFacts> = {
  kind: 'modelFacts',
  result: ModelFacts,
};

export const systemInfoTask: TaskDefinition<'systemInfo', null, SystemInfo> = {
  kind: 'systemInfo',
  result: SystemInfo,
};
