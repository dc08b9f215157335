import type { Migration } from './index.ts';

/**
 * Staged and deleted objects, checksums of blocks, indexes of metadata, folders and names, presigned uploads, and the
 * CORS configuration. Triggers keep them consistent: when a row of `files` is deleted, its object is queued for removal
 * in the same transaction, so that no object stays without a row.
 */
export const storage: Migration = {
  version: 20,
  sql: `
CREATE TABLE pending_objects (object TEXT PRIMARY KEY, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE object_checksums (object TEXT PRIMARY KEY, crc32 BLOB NOT NULL) STRICT;

CREATE TABLE file_metadata (
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  file_id TEXT NOT NULL,
  PRIMARY KEY (user_id, key, value, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_metadata_file ON file_metadata (file_id);

CREATE TABLE file_folders (
  user_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  files INTEGER NOT NULL,
  PRIMARY KEY (user_id, folder)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE files_text USING fts5(
  name, metadata, content='', contentless_delete=1, tokenize='trigram'
);

CREATE TRIGGER files_added AFTER INSERT ON files BEGIN
  DELETE FROM pending_objects WHERE object = new.object;
  INSERT INTO file_folders (user_id, folder, files) VALUES (new.user_id, new.folder, 1)
    ON CONFLICT DO UPDATE SET files = files + 1;
END;
CREATE TRIGGER files_removed AFTER DELETE ON files BEGIN
  INSERT OR IGNORE INTO pending_objects (object, created_at) VALUES (old.object, unixepoch() * 1000);
  DELETE FROM object_checksums WHERE object = old.object;
  DELETE FROM file_metadata WHERE file_id = old.id;
  DELETE FROM files_text WHERE rowid = old.number;
  UPDATE file_folders SET files = files - 1 WHERE user_id = old.user_id AND folder = old.folder;
  DELETE FROM file_folders WHERE user_id = old.user_id AND folder = old.folder AND files <= 0;
END;

CREATE TABLE presigned_uploads (
  nonce TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  original_name TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  max_size INTEGER NOT NULL,
  public INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX presigned_uploads_expiry ON presigned_uploads (expires_at);

CREATE TABLE bucket_cors (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  origins TEXT NOT NULL,
  methods TEXT NOT NULL,
  headers TEXT NOT NULL,
  max_age INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
