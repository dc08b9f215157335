import type { Migration } from './index.ts';

/**
 * Counts how often something began to be erased, which tells backups that still hold it (`stores/backups.ts`). Names and
 * metadata of files are erased like texts.
 */
export const erasures: Migration = {
  version: 130,
  sql: `
INSERT INTO meta (key, value) VALUES ('erasures', '0');

CREATE TRIGGER erasure_counted AFTER INSERT ON meta WHEN new.key = 'scrub'
BEGIN
  UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'erasures';
END;

CREATE TRIGGER file_erased AFTER DELETE ON files
BEGIN
  REPLACE INTO meta (key, value) VALUES ('scrub', 'index');
END;

CREATE TRIGGER file_metadata_erased AFTER UPDATE OF metadata ON files WHEN old.metadata <> new.metadata
BEGIN
  REPLACE INTO meta (key, value) VALUES ('scrub', 'index');
END;
`,
};
