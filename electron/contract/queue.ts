import { z } from 'zod';
import { success, TranscriptId } from './common.ts';

export const QueueMove = z.strictObject({ position: z.int().min(1) });
export const Queue = success(
  z.object({
    paused: z.boolean(),
    running: z.array(TranscriptId),
    waiting: z.array(z.object({ id: TranscriptId, name: z.string(), queue_position: z.int() })),
  }),
);
