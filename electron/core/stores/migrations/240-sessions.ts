import type { Migration } from './index.ts';

/** Sessions of windows, which outlive the service: by the hash of a tab's key, or of a browser's secret. */
export const sessions: Migration = {
  version: 240,
  sql: `
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('tab', 'browser')),
  used_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_used ON sessions (used_at);
`,
};
