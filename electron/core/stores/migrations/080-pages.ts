import type { Migration } from './index.ts';

/** What a web page said of its recording, and whether a person chose the transcript's name. */
export const pages: Migration = {
  version: 80,
  sql: `
ALTER TABLE transcripts ADD COLUMN source TEXT;
ALTER TABLE transcripts ADD COLUMN name_given INTEGER NOT NULL DEFAULT 1;
`,
};
