import type { Migration } from './index.ts';

/**
 * What became of models on a graphics processor; `conditions` names the processor, its driver and this program's version.
 * The setting `engine.acceleration` became `engine.device`.
 */
export const devices: Migration = {
  version: 170,
  sql: `
CREATE TABLE device_trials (
  model TEXT PRIMARY KEY,
  conditions TEXT NOT NULL,
  outcome TEXT NOT NULL,
  cpu_seconds REAL,
  device_seconds REAL,
  detail TEXT,
  tried_at INTEGER NOT NULL
) STRICT;

UPDATE settings SET key = 'engine.device', value = '"cpu"' WHERE key = 'engine.acceleration' AND value = 'false';
DELETE FROM settings WHERE key = 'engine.acceleration';
`,
};
