import { z } from 'zod';
import { Transcription, TranscriptSummary } from './transcript.ts';

/** The messages of `GET /v1/events`: `event:` is `type`, `data:` the rest as JSON. */
export const ServerEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    processing: z.array(TranscriptSummary),
    queue_paused: z.boolean(),
    /** Whether the database was found damaged. Services before this field do not send it. */
    library_damaged: z.boolean().default(false),
  }),
  z.object({ type: z.literal('transcript.created'), transcript: TranscriptSummary }),
  z.object({
    type: z.literal('transcript.progress'),
    id: z.string(),
    progress: Transcription.shape.progress.unwrap(),
    segments_from: z.int().describe('Index of the first segment in `segments`.'),
    segments: Transcription.shape.segments.describe('Recognized since the last event.'),
  }),
  z.object({ type: z.literal('transcript.completed'), transcript: TranscriptSummary }),
  z.object({ type: z.literal('transcript.failed'), transcript: TranscriptSummary }),
  z.object({ type: z.literal('transcript.changed'), transcript: TranscriptSummary }),
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

/** Parses a message of the stream; undefined for a type that this version does not know. */
export const parseServerEvent = (type: string, data: string): ServerEvent | undefined => {
  const body: unknown = JSON.parse(data);
  return ServerEvent.safeParse({ ...(typeof body === 'object' ? body : {}), type }).data;
};
