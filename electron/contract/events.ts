import { z } from 'zod';
import { Transcription } from './transcript.ts';

/** The messages of `GET /v1/events`: `event:` is `type`, `data:` the rest as JSON. */
export const ServerEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    processing: z.array(Transcription),
    queue_paused: z.boolean(),
    /** Whether the database was found damaged. Services before this field do not send it. */
    library_damaged: z.boolean().default(false),
  }),
  z.object({ type: z.literal('transcript.created'), transcript: Transcription }),
  z.object({
    type: z.literal('transcript.progress'),
    id: z.string(),
    progress: Transcription.shape.progress.unwrap(),
    segments_from: z.int().describe('Index of the first segment in `segments`.'),
    segments: Transcription.shape.segments.describe('Recognized since the last event.'),
  }),
  z.object({ type: z.literal('transcript.completed'), transcript: Transcription }),
  z.object({ type: z.literal('transcript.failed'), transcript: Transcription }),
  z.object({ type: z.literal('transcript.changed'), transcript: Transcription }),
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
]);
export type ServerEvent = z.output<typeof ServerEvent>;

/** The types of all events, as sentences name them. */
export const EVENT_TYPES = ServerEvent.options.map(({ shape }) => `\`${shape.type.value}\``).join(', ');
