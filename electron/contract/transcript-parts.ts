import { z } from 'zod';
import { Bytes } from './common.ts';
import { JOB_ERROR_CODES } from './errors.ts';
import { LANGUAGE_CODES } from './languages.ts';

/** What a transcription and the lists of them have in common. */
export const TRANSCRIPT_STATUSES = ['processing', 'completed', 'failed'] as const;
export type TranscriptStatus = (typeof TRANSCRIPT_STATUSES)[number];

export const STAGES = [
  'queued',
  'downloading',
  'downloading_model',
  'decoding',
  'transcribing',
  'diarizing',
  'analyzing',
] as const;
export type Stage = (typeof STAGES)[number];

export const MODEL_ALIASES = ['nano', 'mini', 'pro'] as const;
export type ModelAlias = (typeof MODEL_ALIASES)[number];
export const isModelAlias = (name: string): name is ModelAlias =>
  MODEL_ALIASES.some((alias) => alias === name);

export const UNKNOWN_LANGUAGE = { error: 'is not a language code that Whisper knows' };
/** Typed as free text: callers hold what a person chose, and the answer says what is wrong with it. */
export const LanguageCode: z.ZodType<string, string> = z.enum(LANGUAGE_CODES, UNKNOWN_LANGUAGE).meta({
  id: 'LanguageCode',
  description: 'A language that Whisper knows, by its ISO 639 code.',
});

export const Progress = z
  .object({
    stage: z.enum(STAGES),
    percent: z.number().min(0).max(100).describe('Of the whole job; never goes back.'),
    queue_position: z.int().nullable().describe('1 is next; null once it is running.'),
    eta_seconds: z.number().nullable().describe('Null until the speed on this machine is known.'),
    speed: z.number().nullable().describe('Times real time; null until it is known.'),
  })
  .meta({ id: 'Progress' });
export type Progress = z.output<typeof Progress>;

export const JobError = z
  .object({ code: z.enum(JOB_ERROR_CODES), message: z.string(), stage: z.enum(STAGES) })
  .meta({ id: 'JobError' });
export type JobError = z.output<typeof JobError>;

export const FileInfo = z.object({ name: z.string(), size: Bytes, format: z.string() });
