import type { Migration } from './index.ts';

/** The credits that a transcription in progress may still cost. */
export const reservations: Migration = {
  version: 120,
  sql: `
ALTER TABLE transcripts ADD COLUMN credits_reserved REAL NOT NULL DEFAULT 0;
`,
};
