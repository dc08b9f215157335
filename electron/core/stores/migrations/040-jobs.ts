import type { Migration } from './index.ts';

/**
 * Webhook deliveries, the connection log, app crashes by job, and where kept audio begins. A trigger inserts a delivery in
 * the transaction that ends a transcript; the service adopts it and gives it its public id.
 */
export const jobs: Migration = {
  version: 40,
  sql: `
ALTER TABLE transcripts ADD COLUMN unclean_ends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transcripts ADD COLUMN audio_offset REAL NOT NULL DEFAULT 0;

CREATE TABLE webhook_deliveries (
  number INTEGER PRIMARY KEY,
  id TEXT UNIQUE,
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  url TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts TEXT NOT NULL DEFAULT '[]',
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_transcript ON webhook_deliveries (transcript_id, number);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (number) WHERE state = 'pending';

CREATE TRIGGER webhook_due AFTER UPDATE OF status ON transcripts
WHEN new.webhook_url IS NOT NULL AND old.status = 'processing' AND new.status IN ('completed', 'failed')
BEGIN
  INSERT INTO webhook_deliveries (transcript_id, type, url, next_attempt_at, created_at)
  VALUES (
    new.id, 'transcript.' || new.status, new.webhook_url,
    coalesce(new.completed_at, unixepoch() * 1000), coalesce(new.completed_at, unixepoch() * 1000)
  );
END;

CREATE TABLE connections (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  host TEXT NOT NULL,
  address TEXT,
  purpose TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  error TEXT
) STRICT;
`,
};
