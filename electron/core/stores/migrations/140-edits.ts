import type { Migration } from './index.ts';

/**
 * The edits of each transcript, which can be undone and redone: a row holds what leads to the other state. `revision`
 * counts the changes of a transcript's segments and speakers by people.
 */
export const edits: Migration = {
  version: 140,
  sql: `
ALTER TABLE transcripts ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

CREATE TABLE edits (
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0,
  patch TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (transcript_id, number)
) STRICT, WITHOUT ROWID;
`,
};
