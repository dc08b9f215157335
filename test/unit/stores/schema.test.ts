import BetterSqlite3 from 'better-sqlite3';
import type { Selectable } from 'kysely';
import { describe, expect, it } from 'vitest';
import { transcriptKinds } from '../../../electron/core/stores/codecs.ts';
import { migrate } from '../../../electron/core/stores/migrations/index.ts';
import type { Tables } from '../../../electron/core/stores/schema.ts';

type Storage<T> = T extends string ? 'text' : T extends number ? 'number' : 'blob';
type Kind<T> = null extends T ? `${Storage<NonNullable<T>>}?` : Storage<T>;
// Full-text tables have no column types.
type TypedTables = Omit<Tables, 'files_text' | 'transcripts'>;

/** Every column with its kind; `?` allows NULL. The compiler holds it against the types, the test against SQLite. */
const COLUMNS = {
  bucket_cors: {
    user_id: 'text',
    origins: 'text',
    methods: 'text',
    headers: 'text',
    max_age: 'number',
    updated_at: 'number',
  },
  connections: {
    number: 'number',
    at: 'number',
    host: 'text',
    address: 'text?',
    purpose: 'text',
    bytes: 'number',
    error: 'text?',
  },
  credits: {
    transcript_id: 'text',
    user_id: 'text',
    model: 'text',
    month: 'text',
    seconds: 'number',
    credits: 'number',
    charged_at: 'number',
  },
  device_trials: {
    model: 'text',
    conditions: 'text',
    outcome: 'text',
    cpu_seconds: 'number?',
    device_seconds: 'number?',
    detail: 'text?',
    tried_at: 'number',
  },
  file_folders: {
    user_id: 'text',
    folder: 'text',
    files: 'number',
  },
  file_metadata: {
    user_id: 'text',
    key: 'text',
    value: 'text',
    file_id: 'text',
  },
  files: {
    number: 'number',
    id: 'text',
    user_id: 'text',
    key: 'text',
    object: 'text',
    folder: 'text',
    original_name: 'text',
    size: 'number',
    mime_type: 'text',
    public: 'number',
    metadata: 'text',
    md5: 'text',
    sha256: 'text',
    uploaded_at: 'number',
    modified_at: 'number',
  },
  idempotency: {
    user_id: 'text',
    key: 'text',
    body_hash: 'text',
    transcript_id: 'text',
    created_at: 'number',
  },
  keys: {
    id: 'text',
    user_id: 'text',
    name: 'text',
    prefix: 'text',
    hash: 'text',
    created_at: 'number',
    last_used_at: 'number?',
  },
  meta: {
    key: 'text',
    value: 'text',
  },
  model_downloads: {
    id: 'text',
    state: 'text',
    received: 'number',
    total: 'number',
    error: 'text?',
  },
  model_speeds: {
    id: 'text',
    speed: 'number',
    measured_at: 'number',
  },
  object_checksums: {
    object: 'text',
    crc32: 'blob',
  },
  pending_objects: {
    object: 'text',
    created_at: 'number',
  },
  presigned_uploads: {
    nonce: 'text',
    user_id: 'text',
    key: 'text',
    folder: 'text',
    original_name: 'text',
    mime_type: 'text',
    max_size: 'number',
    public: 'number',
    metadata: 'text',
    expires_at: 'number',
    used: 'number',
  },
  remembered_voices: {
    id: 'text',
    user_id: 'text',
    name: 'text',
    model: 'text',
    embedding: 'blob',
    recordings: 'number',
    created_at: 'number',
    updated_at: 'number',
  },
  search_rows: {
    row: 'number',
    transcript_id: 'text',
  },
  edits: {
    transcript_id: 'text',
    number: 'number',
    kind: 'text',
    undone: 'number',
    patch: 'text',
    created_at: 'number',
  },
  segments: {
    transcript_id: 'text',
    id: 'number',
    chunk: 'number',
    text: 'text',
    start: 'number',
    end: 'number',
    speaker_id: 'text?',
    words: 'text',
    channel: 'number?',
    language: 'text?',
  },
  segment_ranges: { transcript_id: 'text', first_id: 'number', has_others: 'number' },
  sessions: { hash: 'text', user_id: 'text', kind: 'text', used_at: 'number' },
  settings: {
    key: 'text',
    value: 'text',
  },
  speaker_voices: {
    transcript_id: 'text',
    speaker: 'text',
    model: 'text',
    embedding: 'blob',
    remembered_as: 'text?',
  },
  vocabularies: { user_id: 'text', entries: 'text', updated_at: 'number' },
  corrections: {
    id: 'text',
    user_id: 'text',
    transcript_id: 'text',
    channel: 'number',
    at: 'number',
    heard: 'text',
    folded: 'text',
    written: 'text',
    settled: 'number',
  },
  statistics: {
    user_id: 'text',
    transcripts: 'number',
    duration: 'number',
    credits: 'number',
    confidence_sum: 'number',
    confidence_count: 'number',
  },
  storage_usage: {
    user_id: 'text',
    bytes: 'number',
    files: 'number',
  },
  users: {
    id: 'text',
    name: 'text',
    owner: 'number',
    created_at: 'number',
    storage_limit: 'number?',
    credit_budget: 'number?',
    suggests_terms: 'number',
  },
  webhook_deliveries: {
    number: 'number',
    id: 'text?',
    transcript_id: 'text',
    type: 'text',
    url: 'text',
    state: 'text',
    attempts: 'text',
    next_attempt_at: 'number?',
    created_at: 'number',
  },
} satisfies {
  [Table in keyof TypedTables]: {
    [Column in keyof Selectable<TypedTables[Table]>]: Kind<Selectable<TypedTables[Table]>[Column]>;
  };
};

type TableInfo = { name: string; type: string; notnull: number; pk: number };

const KINDS = new Map([
  ['TEXT', 'text'],
  ['INTEGER', 'number'],
  ['REAL', 'number'],
  ['BLOB', 'blob'],
]);

describe('the types of the tables', () => {
  it('match the migrated schema', () => {
    const file = new BetterSqlite3(':memory:');
    migrate(file);
    const tables = file
      .prepare<[], string>(
        `SELECT name FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
      )
      .pluck()
      .all();
    const columnsOf = (table: string) =>
      file
        .prepare<[string], TableInfo>('SELECT name, type, "notnull", pk FROM pragma_table_info(?)')
        .all(table)
        .map(({ name, type, notnull, pk }) => [name, `${KINDS.get(type)}${notnull + pk > 0 ? '' : '?'}`]);
    const migrated = tables.map((table) => [table, Object.fromEntries(columnsOf(table))]);
    expect(Object.fromEntries(migrated)).toEqual({ ...COLUMNS, transcripts: transcriptKinds() });
    file.close();
  });
});
