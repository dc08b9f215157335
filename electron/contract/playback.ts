import { z } from 'zod';
import { queryInt, queryNumber, Seconds, success, Timestamp } from './common.ts';

export const AudioQuery = z.strictObject({
  expires: queryNumber(z.int().min(0)).optional(),
  signature: z.string().max(100).optional(),
});
export const AudioUrl = success(z.object({ url: z.string(), expires_at: Timestamp }));

export const PeaksQuery = z.strictObject({ per_second: queryInt(1, 100, 20) });
export const Peaks = success(
  z.object({
    per_second: z.int().describe('As requested, but at most 20.'),
    duration: Seconds,
    min: z.array(z.number()).describe('-1 to 0, one per bucket.'),
    max: z.array(z.number()).describe('0 to 1, one per bucket.'),
  }),
);
