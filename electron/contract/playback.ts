import { z } from 'zod';
import { queryInt, queryNumber, Seconds, success, Timestamp } from './common.ts';

export const AudioQuery = z.strictObject({
  expires: queryNumber(z.int().min(0)).optional(),
  signature: z.string().max(100).optional(),
});
export const AudioUrl = success(z.object({ url: z.string(), expires_at: Timestamp }));

/** Seconds of the most detailed waveform that one request may ask for. */
const MAX_DETAIL_SECONDS = 60;
const second = queryNumber(z.number().min(0).max(1e6)).optional();

export const PeaksQuery = z
  .strictObject({
    per_second: queryInt(1, 100, 20),
    from: second.describe(
      `With \`to\`: only this part, in up to 100 buckets per second; at most ${MAX_DETAIL_SECONDS} seconds.`,
    ),
    to: second,
  })
  .refine(
    ({ from, to }) =>
      (from === undefined && to === undefined) ||
      (from !== undefined && to !== undefined && from < to && to - from <= MAX_DETAIL_SECONDS),
    { error: `must be a range of at most ${MAX_DETAIL_SECONDS} seconds`, path: ['to'] },
  );
export type PeaksQuery = z.output<typeof PeaksQuery>;
export const Peaks = success(
  z.object({
    per_second: z.int().describe('As requested, but at most 20 without a range, or if the audio is gone.'),
    from: Seconds.optional().describe('Where the first bucket of a part begins.'),
    duration: Seconds,
    min: z.array(z.number()).describe('-1 to 0, one per bucket.'),
    max: z.array(z.number()).describe('0 to 1, one per bucket.'),
  }),
);
