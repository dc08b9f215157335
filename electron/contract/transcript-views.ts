import { z } from 'zod';
import {
  idSchema,
  Pagination,
  QueryBoolean,
  queryInt,
  queryNumber,
  Seconds,
  success,
  Timestamp,
  TranscriptId,
} from './common.ts';

/** What is made from transcriptions: exports, search results, sound, the queue, webhooks' deliveries. */
export const EXPORT_FORMATS = ['srt', 'vtt', 'txt', 'md', 'json', 'csv', 'docx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const ExportQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS),
  max_chars: queryNumber(z.int().min(10).max(200))
    .optional()
    .describe('Characters a subtitle line; default 42.'),
  max_lines: queryNumber(z.int().min(1).max(4)).optional().describe('Lines a subtitle; default 2.'),
  max_seconds: queryNumber(z.number().min(1).max(30)).optional().describe('Seconds a subtitle; default 7.'),
  max_cps: queryNumber(z.number().min(5).max(60)).optional().describe('Characters a second; default 17.'),
  min_seconds: queryNumber(z.number().min(0.2).max(5))
    .optional()
    .describe('Seconds a subtitle stays at least, where the speech allows; default 1.'),
  min_gap: queryNumber(z.number().min(0).max(0.2))
    .optional()
    .describe('Seconds between two subtitles; default 0.08, two frames at 25 a second.'),
  speakers: QueryBoolean.optional().describe(
    'Name the speakers. Without it, where there are several, or the only one was given a name.',
  ),
  words: QueryBoolean.optional().describe('One cue a word.'),
  times: QueryBoolean.optional().describe('Times in txt and md.'),
});
export type ExportQuery = z.output<typeof ExportQuery>;

export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(500),
  page: queryInt(1, 1e6, 1),
  limit: queryInt(1, 100, 20),
});
export const SearchHit = z
  .object({
    id: TranscriptId,
    name: z.string(),
    language: z.string().nullable(),
    created_at: Timestamp,
    score: z.number(),
    hits: z.array(
      z.object({
        segment_id: z.int(),
        start: Seconds,
        end: Seconds,
        snippet: z.string().describe('Plain text.'),
        marks: z
          .array(z.tuple([z.int(), z.int()]))
          .describe('What matched: UTF-16 [start, end) into snippet.'),
      }),
    ),
  })
  .meta({ id: 'SearchHit' });
export const SearchResult = success(z.object({ results: z.array(SearchHit), pagination: Pagination }));

export const AudioQuery = z.strictObject({
  expires: queryNumber(z.int().min(0)).optional(),
  signature: z.string().max(100).optional(),
});
export const AudioUrl = success(z.object({ url: z.string(), expires_at: Timestamp }));

export const PeaksQuery = z.strictObject({ per_second: queryInt(1, 100, 20) });
export const Peaks = success(
  z.object({
    per_second: z.int().describe('As asked for, but at most 20: more are not kept.'),
    duration: Seconds,
    min: z.array(z.number()).describe('-1 to 0, one a bucket.'),
    max: z.array(z.number()).describe('0 to 1, one a bucket.'),
  }),
);

export const QueueMove = z.strictObject({ position: z.int().min(1) });
export const Queue = success(
  z.object({
    paused: z.boolean(),
    running: z.array(TranscriptId),
    waiting: z.array(z.object({ id: TranscriptId, name: z.string(), queue_position: z.int() })),
  }),
);

export const WebhookDelivery = z
  .object({
    id: idSchema('whk', 'Delivery identifier.'),
    type: z.enum(['transcript.completed', 'transcript.failed', 'transcript.test']),
    url: z.string(),
    state: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.array(
      z.object({
        at: Timestamp,
        status: z.int().nullable(),
        error: z.string().nullable(),
        milliseconds: z.number(),
      }),
    ),
    next_attempt_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;
export const WebhookDeliveries = success(z.array(WebhookDelivery));
/** A delivery among those of all transcriptions. */
export const RecentDelivery = WebhookDelivery.extend({
  transcript_id: TranscriptId,
  transcript_name: z.string(),
}).meta({ id: 'RecentDelivery' });
export type RecentDelivery = z.output<typeof RecentDelivery>;
export const DeliveriesQuery = z.strictObject({ limit: queryInt(1, 200, 50) });
export const RecentDeliveries = success(z.array(RecentDelivery));
export const WebhookTest = success(WebhookDelivery);
