import type { Migration } from './index.ts';

/**
 * Users, keys, settings, transcripts with their segments, files, credits.
 * Triggers keep the statistics, so that a list of 100,000 transcripts never scans them.
 */
export const first: Migration = {
  version: 10,
  sql: `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  storage_limit INTEGER,
  credit_budget REAL
) STRICT;
CREATE UNIQUE INDEX users_name ON users (name);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX keys_user ON keys (user_id, id);

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE transcripts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('processing', 'completed', 'failed')),
  stage TEXT NOT NULL,
  percent REAL NOT NULL DEFAULT 0,
  queue_order REAL NOT NULL,
  lease TEXT,
  attempt INTEGER NOT NULL DEFAULT 0,
  audio_url TEXT NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  model_id TEXT,
  language_asked TEXT NOT NULL,
  language TEXT,
  language_confidence REAL,
  timestamp_style TEXT NOT NULL,
  audio_start_from REAL NOT NULL,
  audio_end_at REAL NOT NULL,
  options TEXT NOT NULL,
  webhook_url TEXT,
  webhook_secret TEXT,
  duration REAL NOT NULL DEFAULT 0,
  confidence REAL,
  word_count INTEGER NOT NULL DEFAULT 0,
  text TEXT NOT NULL DEFAULT '',
  preview TEXT NOT NULL DEFAULT '',
  analysis TEXT NOT NULL DEFAULT '{}',
  speaker_names TEXT NOT NULL DEFAULT '{}',
  warnings TEXT NOT NULL DEFAULT '[]',
  error_code TEXT,
  error_message TEXT,
  error_stage TEXT,
  checkpoint TEXT,
  file_name TEXT,
  file_size INTEGER,
  file_format TEXT,
  file_id TEXT,
  audio_file TEXT,
  bytes_fetched INTEGER NOT NULL DEFAULT 0,
  credits_used REAL NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER
) STRICT;
CREATE INDEX transcripts_created ON transcripts (user_id, created_at, id);
CREATE INDEX transcripts_duration ON transcripts (user_id, duration, id);
CREATE INDEX transcripts_confidence ON transcripts (user_id, confidence, id);
CREATE INDEX transcripts_status ON transcripts (user_id, status, created_at, id);
CREATE INDEX transcripts_language ON transcripts (user_id, language, created_at, id);
CREATE INDEX transcripts_queue ON transcripts (queue_order) WHERE status = 'processing';
CREATE INDEX transcripts_started ON transcripts (user_id, started_at);
CREATE INDEX transcripts_file ON transcripts (file_id) WHERE file_id IS NOT NULL;

CREATE TABLE segments (
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  text TEXT NOT NULL,
  start REAL NOT NULL,
  "end" REAL NOT NULL,
  speaker_id TEXT,
  words TEXT NOT NULL,
  PRIMARY KEY (transcript_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE statistics (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  transcripts INTEGER NOT NULL DEFAULT 0,
  duration REAL NOT NULL DEFAULT 0,
  credits REAL NOT NULL DEFAULT 0,
  confidence_sum REAL NOT NULL DEFAULT 0,
  confidence_count INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TRIGGER statistics_user AFTER INSERT ON users BEGIN
  INSERT INTO statistics (user_id) VALUES (new.id);
END;
CREATE TRIGGER statistics_insert AFTER INSERT ON transcripts BEGIN
  UPDATE statistics SET
    transcripts = transcripts + 1,
    duration = duration + new.duration,
    credits = credits + new.credits_used,
    confidence_sum = confidence_sum + coalesce(new.confidence, 0),
    confidence_count = confidence_count + (new.confidence IS NOT NULL)
  WHERE user_id = new.user_id;
END;
CREATE TRIGGER statistics_update AFTER UPDATE OF duration, credits_used, confidence ON transcripts BEGIN
  UPDATE statistics SET
    duration = duration + new.duration - old.duration,
    credits = credits + new.credits_used - old.credits_used,
    confidence_sum = confidence_sum + coalesce(new.confidence, 0) - coalesce(old.confidence, 0),
    confidence_count = confidence_count + (new.confidence IS NOT NULL) - (old.confidence IS NOT NULL)
  WHERE user_id = new.user_id;
END;
CREATE TRIGGER statistics_delete AFTER DELETE ON transcripts BEGIN
  UPDATE statistics SET
    transcripts = transcripts - 1,
    duration = duration - old.duration,
    credits = credits - old.credits_used,
    confidence_sum = confidence_sum - coalesce(old.confidence, 0),
    confidence_count = confidence_count - (old.confidence IS NOT NULL)
  WHERE user_id = old.user_id;
END;

CREATE TABLE credits (
  transcript_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  month TEXT NOT NULL,
  seconds REAL NOT NULL,
  credits REAL NOT NULL,
  charged_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, month, model, transcript_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  transcript_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE files (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL UNIQUE,
  object TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  original_name TEXT NOT NULL,
  size INTEGER NOT NULL,
  mime_type TEXT NOT NULL,
  public INTEGER NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL DEFAULT '{}',
  md5 TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  uploaded_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL
) STRICT;
CREATE INDEX files_uploaded ON files (user_id, uploaded_at, id);
CREATE INDEX files_name ON files (user_id, original_name COLLATE NOCASE, id);
CREATE INDEX files_size ON files (user_id, size, id);
CREATE INDEX files_folder ON files (user_id, folder, uploaded_at, id);
CREATE INDEX files_folder_name ON files (user_id, folder, original_name COLLATE NOCASE, id);
CREATE INDEX files_folder_size ON files (user_id, folder, size, id);

CREATE TABLE storage_usage (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL DEFAULT 0,
  files INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TRIGGER storage_usage_user AFTER INSERT ON users BEGIN
  INSERT INTO storage_usage (user_id) VALUES (new.id);
END;
CREATE TRIGGER storage_usage_insert AFTER INSERT ON files BEGIN
  UPDATE storage_usage SET bytes = bytes + new.size, files = files + 1 WHERE user_id = new.user_id;
END;
CREATE TRIGGER storage_usage_delete AFTER DELETE ON files BEGIN
  UPDATE storage_usage SET bytes = bytes - old.size, files = files - 1 WHERE user_id = old.user_id;
END;
`,
};
