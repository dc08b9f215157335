import type { Migration } from './index.ts';

/**
 * Speaker embeddings: `speaker_voices` holds those of a transcript's speakers and is deleted with it, `remembered_voices`
 * those of the speakers whom a user asked to remember. An embedding is 32-bit floats, least significant byte first, and is
 * comparable only with others of the same model.
 */
export const voices: Migration = {
  version: 60,
  sql: `
CREATE TABLE remembered_voices (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  embedding BLOB NOT NULL,
  recordings INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX remembered_voices_user ON remembered_voices (user_id, model, name);

CREATE TABLE speaker_voices (
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  speaker TEXT NOT NULL,
  model TEXT NOT NULL,
  embedding BLOB NOT NULL,
  remembered_as TEXT REFERENCES remembered_voices (id) ON DELETE SET NULL,
  PRIMARY KEY (transcript_id, speaker)
) STRICT, WITHOUT ROWID;
`,
};
