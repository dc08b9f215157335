import type { Migration } from './index.ts';

/**
 * Which of its stored segments a transcript has. Others are being written to replace them, or were replaced. A transcript
 * without a row has those with ids from 0 on.
 */
export const segmentRanges: Migration = {
  version: 180,
  sql: `
CREATE TABLE segment_ranges (
  transcript_id TEXT PRIMARY KEY REFERENCES transcripts (id) ON DELETE CASCADE,
  first_id INTEGER NOT NULL,
  has_others INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
