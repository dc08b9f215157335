import { cleanNames, warnings } from './rewrites.ts';

/** One step of the schema. Append only: a released step is never changed. */
export type Migration = {
  readonly version: number;
  readonly sql: string;
  /** Functions that `sql` calls. */
  readonly functions?: Readonly<Record<string, (value: unknown) => string>>;
};

/**
 * Users, keys, settings, transcripts with their segments, files, credits.
 * Triggers keep the statistics, so that a list of 100,000 transcripts never scans them.
 */
const first: Migration = {
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

/**
 * Staged and deleted objects, checksums of blocks, indexes of metadata, folders and names, presigned uploads, and the
 * CORS configuration. Triggers keep them consistent: when a row of `files` is deleted, its object is queued for removal
 * in the same transaction, so that no object stays without a row.
 */
const storage: Migration = {
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

/**
 * Full-text search over names and texts, with tokens of `core/search/tokens.ts`. The index has a column `owner`, so that a
 * search never leaves the user's own transcripts.
 */
const search: Migration = {
  version: 30,
  sql: `
CREATE TABLE search_rows (
  row INTEGER PRIMARY KEY,
  transcript_id TEXT NOT NULL UNIQUE
) STRICT;
CREATE VIRTUAL TABLE search_index USING fts5(
  owner, name, body,
  content='', contentless_delete=1, prefix='2 3',
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE TRIGGER search_delete AFTER DELETE ON transcripts BEGIN
  DELETE FROM search_index WHERE rowid = (SELECT row FROM search_rows WHERE transcript_id = old.id);
  DELETE FROM search_rows WHERE transcript_id = old.id;
END;
`,
};

/**
 * Webhook deliveries, the connection log, app crashes by job, and where kept audio begins. A trigger inserts a delivery in
 * the transaction that ends a transcript; the service adopts it and gives it its public id.
 */
const jobs: Migration = {
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

/** Incomplete downloads of models, and the measured speed of each model on this machine. */
const models: Migration = {
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

/**
 * Speaker embeddings: `speaker_voices` holds those of a transcript's speakers and is deleted with it, `remembered_voices`
 * those of the speakers whom a user asked to remember. An embedding is 32-bit floats, least significant byte first, and is
 * comparable only with others of the same model.
 */
const voices: Migration = {
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

/** Lists the transcripts of a model by time without sorting. */
const list: Migration = {
  version: 70,
  sql: `
CREATE INDEX transcripts_model ON transcripts (user_id, model, created_at, id);
`,
};

/** What a web page said of its recording, and whether a person chose the transcript's name. */
const pages: Migration = {
  version: 80,
  sql: `
ALTER TABLE transcripts ADD COLUMN source TEXT;
ALTER TABLE transcripts ADD COLUMN name_given INTEGER NOT NULL DEFAULT 1;
`,
};

/**
 * Earlier versions changed the search index after the commit of the text, so a crash could leave it behind the
 * texts. The marks make the next start rebuild it and remove replaced texts from the file (`stores/scrub.ts`).
 */
const scrub: Migration = {
  version: 90,
  sql: `
INSERT OR REPLACE INTO meta (key, value) VALUES ('search.rebuild', '1'), ('scrub', 'index');
`,
};

/**
 * The field's words for columns, and a checkpoint that names its kind. `speaker_names` was written but never read.
 * A checkpoint of before is a recognition with `piece` for `chunk`, or `{again: {options, …}}` with the options as
 * JSON in a string.
 */
const records: Migration = {
  version: 100,
  sql: `
ALTER TABLE segments RENAME COLUMN piece TO chunk;
ALTER TABLE transcripts RENAME COLUMN unclean_ends TO app_crashes;
ALTER TABLE transcripts DROP COLUMN speaker_names;

UPDATE transcripts SET checkpoint = CASE
  WHEN NOT json_valid(checkpoint) THEN NULL
  WHEN json_type(checkpoint, '$.again.options') = 'text' THEN json_object(
    'kind', 'reanalysis',
    'options', json(json_extract(checkpoint, '$.again.options')),
    'completedAt', json_extract(checkpoint, '$.again.completedAt'),
    'diarize', json(CASE json_extract(checkpoint, '$.again.diarize') WHEN 1 THEN 'true' ELSE 'false' END)
  )
  WHEN json_type(checkpoint, '$.piece') IS NOT NULL THEN json_remove(
    json_set(checkpoint, '$.kind', 'recognition', '$.chunk', json_extract(checkpoint, '$.piece')), '$.piece'
  )
END
WHERE checkpoint IS NOT NULL;
`,
};

/**
 * Moves the login of `audio_url` (`https://user:password@host/`) into a column of its own, which no answer shows. When
 * the job ends it becomes empty, which tells "there was one" from null. The mark for `stores/scrub.ts` makes the
 * login also leave the write-ahead log.
 */
const logins: Migration = {
  version: 110,
  sql: `
ALTER TABLE transcripts ADD COLUMN audio_login TEXT;

WITH parts AS (
  SELECT id, audio_url AS url, instr(audio_url, '://') + 3 AS start FROM transcripts
  WHERE audio_url LIKE 'http://%@%' OR audio_url LIKE 'https://%@%'
), rests AS (
  SELECT id, url, start, substr(url, start) AS rest FROM parts
), authorities AS (
  SELECT id, url, start, rest,
    substr(rest, 1, min(instr(rest || '/', '/'), instr(rest || '?', '?'), instr(rest || '#', '#')) - 1) AS authority
  FROM rests
), logins AS (
  SELECT id, url, start, rest, rtrim(authority, replace(authority, '@', '')) AS login
  FROM authorities WHERE instr(authority, '@') > 0
)
UPDATE transcripts SET
  audio_login = CASE transcripts.status WHEN 'processing' THEN substr(login, 1, length(login) - 1) ELSE '' END,
  audio_url = substr(url, 1, start - 1) || substr(rest, length(login) + 1)
FROM logins WHERE logins.id = transcripts.id;

INSERT INTO meta (key, value) SELECT 'scrub', 'log' FROM transcripts WHERE audio_login IS NOT NULL LIMIT 1
ON CONFLICT (key) DO NOTHING;

CREATE TRIGGER audio_login_end AFTER UPDATE OF status ON transcripts
WHEN new.status <> 'processing' AND new.audio_login <> ''
BEGIN
  UPDATE transcripts SET audio_login = '' WHERE id = new.id;
  INSERT INTO meta (key, value) VALUES ('scrub', 'log') ON CONFLICT (key) DO NOTHING;
END;
`,
};

/** The credits that a transcription in progress may still cost. */
const reservations: Migration = {
  version: 120,
  sql: `
ALTER TABLE transcripts ADD COLUMN credits_reserved REAL NOT NULL DEFAULT 0;
`,
};

/**
 * Counts how often something began to be erased, which tells backups that still hold it (`stores/backups.ts`). Names and
 * metadata of files are erased like texts.
 */
const erasures: Migration = {
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

/**
 * The edits of each transcript, which can be undone and redone: a row holds what leads to the other state. `revision`
 * counts the changes of a transcript's segments and speakers by people.
 */
const edits: Migration = {
  version: 140,
  sql: `
ALTER TABLE transcripts ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

CREATE TABLE edits (
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0,
  patch TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (transcript_id, number)
) STRICT, WITHOUT ROWID;
`,
};

/**
 * The channel of each segment, if a recording's channels are recognized by themselves. A checkpoint has a place in each
 * audio stream; those of before have one stream.
 */
const channels: Migration = {
  version: 150,
  sql: `
ALTER TABLE segments ADD COLUMN channel INTEGER;
ALTER TABLE transcripts ADD COLUMN channels INTEGER;

UPDATE transcripts SET checkpoint = CASE
  WHEN NOT json_valid(checkpoint) THEN NULL
  WHEN json_extract(checkpoint, '$.kind') = 'recognition' THEN json_set(
    json_remove(checkpoint, '$.chunk', '$.at', '$.crashes'),
    '$.streams',
    json_array(json_object(
      'chunk', json_extract(checkpoint, '$.chunk'),
      'at', json_extract(checkpoint, '$.at'),
      'crashes', json(coalesce(json_extract(checkpoint, '$.crashes'), '{}'))
    ))
  )
  ELSE checkpoint
END
WHERE checkpoint IS NOT NULL;
`,
};

/** The names and terms that matter to each user, as JSON. */
const vocabularies: Migration = {
  version: 160,
  sql: `
CREATE TABLE vocabularies (
  user_id TEXT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
  entries TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
`,
};

/**
 * What became of models on a graphics processor; `conditions` names the processor, its driver and this program's version.
 * The setting `engine.acceleration` became `engine.device`.
 */
const devices: Migration = {
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

/**
 * Which of its stored segments a transcript has. Others are being written to replace them, or were replaced. A transcript
 * without a row has those with ids from 0 on.
 */
const segmentRanges: Migration = {
  version: 180,
  sql: `
CREATE TABLE segment_ranges (
  transcript_id TEXT PRIMARY KEY REFERENCES transcripts (id) ON DELETE CASCADE,
  first_id INTEGER NOT NULL,
  has_others INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};

/**
 * What users who asked for suggestions corrected: `written` for `heard`, at a time of a transcript in milliseconds. `folded`
 * is `heard` as it is compared. `settled` is 1 once the user has answered the suggestion.
 */
const corrections: Migration = {
  version: 190,
  sql: `
ALTER TABLE users ADD COLUMN suggests_terms INTEGER NOT NULL DEFAULT 0;

CREATE TABLE corrections (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
  channel INTEGER NOT NULL,
  at INTEGER NOT NULL,
  heard TEXT NOT NULL,
  folded TEXT NOT NULL,
  written TEXT NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX corrections_by_transcript ON corrections (transcript_id);
CREATE INDEX corrections_by_user ON corrections (user_id, written, folded);
`,
};

/**
 * The quantized copies of models. `source` names the published file, `conditions` the processor and the version of this program
 * in which the copy was tried; `outcome` is `made` until then.
 */
const modelCopies: Migration = {
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

/**
 * The synthetic models of earlier versions no longer come along: settings that name them go back to their defaults, and jobs
 * that ask for one get the model behind `mini`. 8-bit copies are no longer made, since their publishers offer such files.
 */
const realModels: Migration = {
  version: 210,
  sql: `
DROP TABLE model_copies;
DELETE FROM settings WHERE key GLOB 'models.aliases.*' AND value IN ('"starter"', '"starter-parakeet"');
DELETE FROM settings WHERE key GLOB 'speakers.*' AND value IN ('"segmentation-starter"', '"embedding-starter"');
UPDATE transcripts SET model = 'mini'
WHERE status = 'processing' AND model IN ('starter', 'starter-parakeet');
`,
};

/** The language of each segment; null for those of before, which had the one of the whole recording. */
const languages: Migration = {
  version: 220,
  sql: `
ALTER TABLE segments ADD COLUMN language TEXT;
`,
};

/** Sessions of windows, which outlive the service: by the hash of a tab's key, or of a browser's secret. */
const sessions: Migration = {
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

/** What a request in another service's form asks has one shape for every form: only that form's routes know the fields. */
const foreignRequests: Migration = {
  version: 260,
  sql: `
UPDATE transcripts SET options = json_remove(json_set(options, '$.foreign', json_patch('{}', json_object(
  'webhook', json_extract(options, '$.assemblyai.webhook'),
  'settings', json_remove(json_extract(options, '$.assemblyai'), '$.webhook', '$.speech_understanding'),
  'texts', json_patch('{}', json_object('speech_understanding', json_extract(options, '$.assemblyai.speech_understanding')))
))), '$.assemblyai')
WHERE CASE WHEN json_valid(options) THEN json_type(options, '$.assemblyai') = 'object' END;
`,
};

/** Moments that somebody marked in a recording, with notes, as JSON. */
const marks: Migration = {
  version: 270,
  sql: "ALTER TABLE transcripts ADD COLUMN marks TEXT NOT NULL DEFAULT '[]';",
};

export const MIGRATIONS: readonly Migration[] = [
  first,
  storage,
  search,
  jobs,
  models,
  voices,
  list,
  pages,
  scrub,
  records,
  logins,
  reservations,
  erasures,
  edits,
  channels,
  vocabularies,
  devices,
  segmentRanges,
  corrections,
  modelCopies,
  realModels,
  languages,
  warnings,
  sessions,
  cleanNames,
  foreignRequests,
  marks,
];
