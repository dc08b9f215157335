import { z } from 'zod';
import type { ServerEvent } from '../../electron/contract/events.ts';
import { JobError, Progress } from '../../electron/contract/job.ts';
import { Segment } from '../../electron/contract/segments.ts';

const TranscriptId = z.object({ id: z.string() });
const EndedTranscript = z.object({ id: z.string(), name: z.string(), error: JobError.optional() });
const RunningTranscript = z.object({ id: z.string(), progress: Progress.optional() });

/**
 * The parts of the server's events that the window reads. Of a transcript these are its id, name and progress: a
 * screen that shows it fetches the rest, so that events of long recordings stay cheap to parse.
 */
const LiveEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    processing: z.array(RunningTranscript),
    queue_paused: z.boolean(),
    library_damaged: z.boolean(),
  }),
  z.object({ type: z.literal('transcript.created'), transcript: RunningTranscript }),
  z.object({
    type: z.literal('transcript.progress'),
    id: z.string(),
    progress: Progress,
    segments_from: z.int(),
    segments: z.array(Segment),
  }),
  z.object({ type: z.literal('transcript.completed'), transcript: EndedTranscript }),
  z.object({ type: z.literal('transcript.failed'), transcript: EndedTranscript }),
  z.object({ type: z.literal('transcript.changed'), transcript: TranscriptId }),
  z.object({ type: z.literal('transcript.deleted'), id: z.string() }),
  z.object({ type: z.literal('file.created'), key: z.string() }),
  z.object({ type: z.literal('file.deleted'), key: z.string() }),
  z.object({
    type: z.literal('model.progress'),
    id: z.string(),
    received: z.int(),
    total: z.int(),
    state: z.string(),
  }),
  z.object({ type: z.literal('queue.changed'), paused: z.boolean() }),
  z.object({ type: z.literal('library.damaged') }),
]) satisfies z.ZodType<{ type: ServerEvent['type'] }>;
export type LiveEvent = z.output<typeof LiveEvent>;

/** Parses an event of the stream; undefined for a type that this window does not know. */
export const parseLiveEvent = (type: string, data: string): LiveEvent | undefined => {
  const body: unknown = JSON.parse(data);
  const parsed = LiveEvent.safeParse({ ...(typeof body === 'object' ? body : {}), type });
  return parsed.success ? parsed.data : undefined;
};
