import type { Migration } from './index.ts';

/**
 * What users who asked for suggestions corrected: `written` for `heard`, at a time of a transcript in milliseconds. `folded`
 * is `heard` as it is compared. `settled` is 1 once the user has answered the suggestion.
 */
export const corrections: Migration = {
  version: 190,
  sql: `
ALTER TABLE users ADD COLUMN suggests_terms INTEGER NOT NULL DEFAULT 0;

CREATE TABLE corrections (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  channel INTEGER NOT NULL,
  at INTEGER NOT NULL,
  heard TEXT NOT NULL,
  folded TEXT NOT NULL,
  written TEXT NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX corrections_by_transcript ON corrections (transcript_id);
CREATE INDEX corrections_by_user ON corrections (user_id, written, folded);
`,
};
