import { z } from 'zod';
import { Pagination, queryInt, Seconds, success, Timestamp, TranscriptId } from './common.ts';

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
    score: z
      .number()
      .describe(
        'Higher is better. 0 if the order is names first, then the newest: for the beginnings of words, and ' +
          'if more than 20,000 transcriptions match.',
      ),
    hits: z.array(
      z.object({
        segment_id: z.int(),
        start: Seconds,
        end: Seconds,
        snippet: z.string().describe('Plain text.'),
        marks: z
          .array(z.tuple([z.int(), z.int()]))
          .describe('The matches: UTF-16 offsets [start, end) in `snippet`.'),
      }),
    ),
  })
  .meta({ id: 'SearchHit' });
export const SearchResult = success(
  z.object({
    results: z.array(SearchHit),
    pagination: Pagination,
    suggestion: z
      .string()
      .optional()
      .describe(
        'Without results: `q` with its unknown words replaced by the nearest that occur, which finds something.',
      ),
  }),
);
