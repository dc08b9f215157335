import { accountExamples, voiceExamples } from './account.ts';
import { assemblyAiExamples } from './assemblyai.ts';
import { openAiExamples, whisperServerExamples } from './openai.ts';
import { realtimeExamples } from './realtime.ts';
import { storageExamples } from './storage.ts';
import { systemExamples } from './system.ts';
import { transcriptExamples, vocabularyExamples } from './transcripts.ts';

/** What an example holds, whatever its operation. */
export type Example = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly answers?: Readonly<Record<number, unknown>>;
  readonly texts?: Readonly<Record<string, string>>;
};

/** An example of every operation, by operation id. */
export const examples: Readonly<Record<string, Example>> = {
  ...transcriptExamples,
  ...storageExamples,
  ...accountExamples,
  ...realtimeExamples,
  ...voiceExamples,
  ...vocabularyExamples,
  ...systemExamples,
  ...openAiExamples,
  ...assemblyAiExamples,
  ...whisperServerExamples,
};
