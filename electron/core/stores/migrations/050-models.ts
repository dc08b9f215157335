import type { Migration } from './index.ts';

/** Incomplete downloads of models, and the measured speed of each model on this machine. */
export const models: Migration = {
  version: 50,
  sql: `
CREATE TABLE model_downloads (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('downloading', 'paused', 'failed')),
  received INTEGER NOT NULL,
  total INTEGER NOT NULL,
  error TEXT
) STRICT;

CREATE TABLE model_speeds (
  id TEXT PRIMARY KEY,
  speed REAL NOT NULL,
  measured_at INTEGER NOT NULL
) STRICT;
`,
};
