import { z } from 'zod';
import { idSchema, queryInt, success, Timestamp, TranscriptId } from './common.ts';

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
export const RecentDelivery = WebhookDelivery.extend({
  transcript_id: TranscriptId,
  transcript_name: z.string(),
}).meta({ id: 'RecentDelivery' });
export type RecentDelivery = z.output<typeof RecentDelivery>;
export const DeliveriesQuery = z.strictObject({ limit: queryInt(1, 200, 50) });
export const RecentDeliveries = success(z.array(RecentDelivery));
export const WebhookTest = success(WebhookDelivery);
