import { z } from 'zod';
import { success, TranscriptId } from './common.ts';
import { JOB_ERROR_CODES } from './errors.ts';

export const QueueMove = z.strictObject({ position: z.int().min(1) });
export const Queue = success(
  z.object({
    paused: z.boolean(),
    running: z.array(TranscriptId),
    waiting: z.array(z.object({ id: TranscriptId, name: z.string(), queue_position: z.int() })),
  }),
);

export const STAGES = [
  'queued',
  'listening',
  'downloading',
  'downloading_model',
  'decoding',
  'transcribing',
  'verifying',
  'diarizing',
  'analyzing',
] as const;
export type Stage = (typeof STAGES)[number];

export const Progress = z
  .object({
    stage: z.enum(STAGES),
    percent: z.number().min(0).max(100).describe('Of the whole job; never decreases.'),
    queue_position: z.int().nullable().describe('1 is next; null once the job runs.'),
    eta_seconds: z.number().nullable().describe('Null until the speed on this machine is known.'),
    speed: z.number().nullable().describe('Times real time; null until it is known.'),
  })
  .meta({ id: 'Progress' });
export type Progress = z.output<typeof Progress>;

export const JobError = z
  .object({ code: z.enum(JOB_ERROR_CODES), message: z.string(), stage: z.enum(STAGES) })
  .meta({ id: 'JobError' });
export type JobError = z.output<typeof JobError>;
