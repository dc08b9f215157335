import type { Migration } from './index.ts';

/** Moments that somebody marked in a recording, with notes, as JSON. */
export const marks: Migration = {
  version: 270,
  sql: "ALTER TABLE transcripts ADD COLUMN marks TEXT NOT NULL DEFAULT '[]';",
};
