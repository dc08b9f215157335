import type { Migration } from './index.ts';

/**
 * The quantized copies of models. `source` names the published file, `conditions` the processor and the version of this program
 * in which the copy was tried; `outcome` is `made` until then.
 */
export const modelCopies: Migration = {
  version: 200,
  sql: `
CREATE TABLE model_copies (
  model TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  source_sha256 TEXT,
  sha256 TEXT,
  bytes INTEGER,
  conditions TEXT NOT NULL,
  outcome TEXT NOT NULL,
  published_seconds REAL,
  copy_seconds REAL,
  detail TEXT,
  tried_at INTEGER NOT NULL
) STRICT;
`,
};
