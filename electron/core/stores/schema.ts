import type { Generated } from 'kysely';
import type { TranscriptRow } from './codecs.ts';

/** The columns of each table. Times are milliseconds since the epoch; JSON columns are text (`codecs.ts`). */
export type Tables = {
  meta: { key: string; value: string };
  users: UserRow & { suggests_terms: Generated<number> };
  keys: KeyRow;
  sessions: SessionRow;
  settings: { key: string; value: string };
  transcripts: TranscriptRow;
  segments: SegmentRow;
  segment_ranges: SegmentRangeRow;
  edits: EditRow;
  statistics: {
    user_id: string;
    transcripts: number;
    duration: number;
    credits: number;
    confidence_sum: number;
    confidence_count: number;
  };
  credits: {
    transcript_id: string;
    user_id: string;
    model: string;
    month: string;
    seconds: number;
    credits: number;
    charged_at: number;
  };
  idempotency: { user_id: string; key: string; body_hash: string; transcript_id: string; created_at: number };
  search_rows: { row: Generated<number>; transcript_id: string };
  files: FileRow & { number: Generated<number> };
  storage_usage: { user_id: string; bytes: number; files: number };
  pending_objects: { object: string; created_at: number };
  object_checksums: { object: string; crc32: Uint8Array };
  file_metadata: { user_id: string; key: string; value: string; file_id: string };
  file_folders: { user_id: string; folder: string; files: number };
  files_text: { rowid: number; name: string; metadata: string };
  presigned_uploads: PresignedRow;
  bucket_cors: CorsRow;
  webhook_deliveries: DeliveryRow & { number: Generated<number> };
  connections: ConnectionRow & { number: Generated<number> };
  model_downloads: ModelDownloadRow;
  device_trials: DeviceTrialRow;
  model_speeds: { id: string; speed: number; measured_at: number };
  remembered_voices: RememberedVoiceRow;
  speaker_voices: SpeakerVoiceRow;
  vocabularies: { user_id: string; entries: string; updated_at: number };
  corrections: CorrectionRow;
};

export type CorrectionRow = {
  id: string;
  user_id: string;
  transcript_id: string;
  channel: number;
  at: number;
  heard: string;
  folded: string;
  written: string;
  settled: number;
};

export type DeviceTrialRow = {
  model: string;
  conditions: string;
  outcome: string;
  cpu_seconds: number | null;
  device_seconds: number | null;
  detail: string | null;
  tried_at: number;
};

export type UserRow = {
  id: string;
  name: string;
  owner: number;
  created_at: number;
  storage_limit: number | null;
  credit_budget: number | null;
};

export type KeyRow = {
  id: string;
  user_id: string;
  name: string;
  prefix: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
};

/** A session of a window. */
export type SessionRow = {
  /** Of a tab's key, or of both halves of a browser's secret. */
  hash: string;
  user_id: string;
  kind: 'tab' | 'browser';
  used_at: number;
};

/** Where the segments of a transcript lie; without a row, from id 0 on. */
export type SegmentRangeRow = {
  transcript_id: string;
  /** Id of the row of segment 0. */
  first_id: number;
  /** 1 if there may be rows that are no segments of the transcript, yet or any more. */
  has_others: number;
};

export type SegmentRow = {
  transcript_id: string;
  /** Counts from `first_id` of `segment_ranges`. */
  id: number;
  chunk: number;
  text: string;
  start: number;
  end: number;
  speaker_id: string | null;
  /** Null if channels were not recognized by themselves. */
  channel: number | null;
  /** Null until known, and if an earlier version recognized it. */
  language: string | null;
  /** JSON: `[[word, start, end, confidence, speaker_id], …]`. */
  words: string;
};

export type EditRow = {
  transcript_id: string;
  /** The revision that the edit made, which no other edit of the transcript ever has. */
  number: number;
  kind: 'text' | 'speakers' | 'diarization' | 'times' | 'name';
  /** 1 if it is undone and can be made again. */
  undone: number;
  /** JSON: what undoes it, or makes it again. */
  patch: string;
  created_at: number;
};

export type FileRow = {
  id: string;
  user_id: string;
  key: string;
  /** Random file name in the object folder. */
  object: string;
  folder: string;
  original_name: string;
  size: number;
  mime_type: string;
  public: number;
  metadata: string;
  md5: string;
  sha256: string;
  uploaded_at: number;
  modified_at: number;
};

/** An issued presigned upload: reserves its key and cannot be used twice. */
export type PresignedRow = {
  nonce: string;
  user_id: string;
  key: string;
  folder: string;
  original_name: string;
  mime_type: string;
  max_size: number;
  public: number;
  metadata: string;
  expires_at: number;
  used: number;
};

/** The CORS configuration of a user's objects; the lists are JSON. */
export type CorsRow = {
  user_id: string;
  origins: string;
  methods: string;
  headers: string;
  max_age: number;
  updated_at: number;
};

/** A delivery to a webhook. */
export type DeliveryRow = {
  /** Public id; null until the service adopts the row, which a trigger inserted. */
  id: string | null;
  transcript_id: string;
  type: 'transcript.completed' | 'transcript.failed' | 'transcript.test';
  url: string;
  state: 'pending' | 'delivered' | 'failed';
  /** JSON, in the form of the answer. */
  attempts: string;
  next_attempt_at: number | null;
  created_at: number;
};

/** An outbound connection. */
export type ConnectionRow = {
  at: number;
  host: string;
  address: string | null;
  purpose: string;
  bytes: number;
  error: string | null;
};

/** The download of a model that is not complete. */
export type ModelDownloadRow = {
  id: string;
  state: 'downloading' | 'paused' | 'failed';
  received: number;
  total: number;
  error: string | null;
};

/** A remembered speaker. */
export type RememberedVoiceRow = {
  id: string;
  user_id: string;
  name: string;
  /** Id of the embedding model. */
  model: string;
  embedding: Uint8Array;
  /** Number of recordings that contributed to the embedding. */
  recordings: number;
  created_at: number;
  updated_at: number;
};

/** The embedding of a speaker of a transcript. */
export type SpeakerVoiceRow = {
  transcript_id: string;
  speaker: string;
  model: string;
  embedding: Uint8Array;
  /** Id of the remembered speaker that learned from it. */
  remembered_as: string | null;
};
