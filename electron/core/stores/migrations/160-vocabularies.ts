import type { Migration } from './index.ts';

/** The names and terms that matter to each user, as JSON. */
export const vocabularies: Migration = {
  version: 160,
  sql: `
CREATE TABLE vocabularies (
  user_id TEXT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
  entries TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
`,
};
