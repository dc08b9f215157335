import { sql as raw } from 'kysely';
import type { LinkEffect } from '../../contract/storage.ts';
import { corsListCodec, type FileMetadata, metadataCodec, type Transcript } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { FileRow } from './schema.ts';

/** A presigned upload that was handed out. It reserves its key and can be used once. */
export type PresignedUpload = Pick<
  FileRecord,
  'userId' | 'key' | 'folder' | 'originalName' | 'mimeType' | 'isPublic' | 'metadata'
> & {
  /** Random; identifies the upload in its signed token. */
  readonly nonce: string;
  /** Most bytes that may be sent. */
  readonly maxSize: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly isUsed: boolean;
};

export const insertPresigned = (db: WritableDb, upload: PresignedUpload): void => {
  db.run(
    sql.insertInto('presigned_uploads').values({
      nonce: upload.nonce,
      user_id: upload.userId,
      key: upload.key,
      folder: upload.folder,
      original_name: upload.originalName,
      mime_type: upload.mimeType,
      max_size: upload.maxSize,
      public: upload.isPublic ? 1 : 0,
      metadata: metadataCodec.encode(upload.metadata),
      expires_at: upload.expiresAt,
      used: upload.isUsed ? 1 : 0,
    }),
  );
};

export const findPresigned = (db: ReadableDb, nonce: string): PresignedUpload | undefined => {
  const row = db.get(sql.selectFrom('presigned_uploads').selectAll().where('nonce', '=', nonce));
  if (row === undefined) return undefined;
  return {
    nonce: row.nonce,
    userId: row.user_id,
    key: row.key,
    folder: row.folder,
    originalName: row.original_name,
    mimeType: row.mime_type,
    maxSize: row.max_size,
    isPublic: row.public === 1,
    metadata: metadataCodec.decode(row.metadata),
    expiresAt: row.expires_at,
    isUsed: row.used === 1,
  };
};

export const isPresignedKey = (db: ReadableDb, key: string): boolean =>
  db.get(sql.selectFrom('presigned_uploads').select('nonce').where('key', '=', key)) !== undefined;

export const markPresignedUsed = (db: WritableDb, nonce: string): void => {
  db.run(sql.updateTable('presigned_uploads').set({ used: 1 }).where('nonce', '=', nonce));
};

/** Deletes uploads that expired before `time`; their tokens are refused by the expiry that they carry. */
export const deletePresignedBefore = (db: WritableDb, time: number): void => {
  db.run(sql.deleteFrom('presigned_uploads').where('expires_at', '<', time));
};

/** The CORS configuration of a user's files. */
export type CorsRules = {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
};

export const findCors = (db: ReadableDb, userId: string): CorsRules | undefined => {
  const row = db.get(sql.selectFrom('bucket_cors').selectAll().where('user_id', '=', userId));
  if (row === undefined) return undefined;
  return {
    allowedOrigins: corsListCodec.decode(row.origins),
    allowedMethods: corsListCodec.decode(row.methods),
    allowedHeaders: corsListCodec.decode(row.headers),
    maxAgeSeconds: row.max_age,
    updatedAt: row.updated_at,
  };
};

export const saveCors = (db: WritableDb, userId: string, rules: CorsRules): void => {
  db.run(
    sql.replaceInto('bucket_cors').values({
      user_id: userId,
      origins: corsListCodec.encode([...rules.allowedOrigins]),
      methods: corsListCodec.encode([...rules.allowedMethods]),
      headers: corsListCodec.encode([...rules.allowedHeaders]),
      max_age: rules.maxAgeSeconds,
      updated_at: rules.updatedAt,
    }),
  );
};

/** A transcript that was made from a stored file. */
export type FileLink = Pick<Transcript, 'id' | 'name' | 'status'> & {
  readonly isRedacted: boolean;
  /** What becomes of it when the file is deleted. */
  readonly effect: LinkEffect;
};

export type LinkCount = Pick<FileLink, 'isRedacted' | 'effect'> & { readonly count: number };

const redacted = raw<number>`coalesce(options ->> '$.redact_pii', 0)`;
/** A redacted transcript never plays the original; one with audio of its own, such as a bleeped recording, keeps that. */
const effect = raw<LinkEffect>`CASE
  WHEN audio_file IS NOT NULL THEN 'nothing'
  WHEN status = 'processing' THEN 'job_fails'
  WHEN status = 'failed' THEN 'retry_lost'
  WHEN ${redacted} THEN 'nothing'
  ELSE 'audio_lost' END`;

type OwnFile = Pick<FileRecord, 'id' | 'userId'>;

const linked = ({ id, userId }: OwnFile) =>
  sql
    .selectFrom('transcripts')
    .where('file_id', '=', id)
    // The plus keeps SQLite from using an index on user_id.
    .where(raw<string>`+user_id`, '=', userId);

/** The newest transcripts that were made from a user's file. */
export const linksOfFile = (db: ReadableDb, file: OwnFile, limit: number): FileLink[] =>
  db
    .all(
      linked(file)
        .select(['id', 'name', 'status', redacted.as('redacted'), effect.as('effect')])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    )
    .map(({ redacted, ...link }) => ({ ...link, isRedacted: redacted !== 0 }));

/** The numbers of transcripts that were made from a user's file, by kind. */
export const countLinksOfFile = (db: ReadableDb, file: OwnFile): LinkCount[] =>
  db
    .all(
      linked(file)
        .select((eb) => [redacted.as('redacted'), effect.as('effect'), eb.fn.countAll<number>().as('count')])
        .groupBy(['redacted', 'effect']),
    )
    .map(({ redacted, ...kind }) => ({ ...kind, isRedacted: redacted !== 0 }));

export type FileFilter = {
  readonly folder?: string | undefined;
  /** The beginning of the key, with the user's part. */
  readonly prefix?: string | undefined;
  /** A part of the name or of a metadata value. */
  readonly q?: string | undefined;
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly page: number;
  readonly limit: number;
  readonly sort: 'uploaded_at' | 'name' | 'size';
  readonly order: 'asc' | 'desc';
};

/** FTS5's trigram index needs three characters; shorter queries scan the names. */
const TRIGRAM = 3;

const literalLike = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** An upper bound of all texts that begin with `prefix`. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** Whether the filter leaves so few rows that sorting them is cheaper than walking an index in the requested order. */
const isSelective = ({ prefix, q, metadata }: FileFilter): boolean =>
  prefix !== undefined || metadata.length > 0 || [...(q ?? '')].length >= TRIGRAM;

const filtered = (userId: string, filter: FileFilter) => {
  const { folder, prefix, q, metadata } = filter;
  // Unary plus keeps SQLite from using the index of the sort order, which would visit all of the user's files.
  const owner = isSelective(filter) ? raw<string>`+user_id` : raw.ref<string>('user_id');
  let query = sql.selectFrom('files').where(owner, '=', userId);
  if (folder !== undefined) {
    query = query.where(isSelective(filter) ? raw<string>`+folder` : raw.ref<string>('folder'), '=', folder);
  }
  if (prefix !== undefined) query = query.where('key', '>=', prefix).where('key', '<', afterPrefix(prefix));
  for (const [key, value] of metadata) {
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('file_metadata')
        .select('file_id')
        .where('user_id', '=', userId)
        .where('key', '=', key)
        .where('value', '=', value),
    );
  }
  if (q === undefined || q === '') return query;
  // No name holds control characters, and FTS5 stops reading its query at a NUL.
  if (/\p{Cc}/u.test(q)) return query.where(raw<boolean>`0`);
  if ([...q].length < TRIGRAM) {
    return query.where(raw<boolean>`original_name LIKE ${literalLike(q)} ESCAPE '\\'`);
  }
  const phrase = `"${q.replaceAll('"', '""')}"`;
  return query.where('number', 'in', (eb) =>
    eb.selectFrom('files_text').select('rowid').where(raw<boolean>`files_text MATCH ${phrase}`),
  );
};

const COLUMN = { uploaded_at: 'uploaded_at', name: 'original_name', size: 'size' } as const;

/** The query of one page; exported so that a test can check its plan. */
export const filePage = (userId: string, filter: FileFilter) => {
  const { sort, order, limit, page } = filter;
  const column = raw.ref(COLUMN[sort]);
  const sorted = sort === 'name' ? raw`${column} COLLATE NOCASE` : column;
  return filtered(userId, filter)
    .selectAll()
    .orderBy(sorted, order)
    .orderBy('id', order)
    .limit(limit)
    .offset((page - 1) * limit);
};

const countFiles = (db: ReadableDb, userId: string, filter: FileFilter): number => {
  const { folder, prefix, q, metadata } = filter;
  const onlyFolder = prefix === undefined && (q === undefined || q === '') && metadata.length === 0;
  if (!onlyFolder) {
    const query = filtered(userId, filter).select((eb) => eb.fn.countAll<number>().as('count'));
    return db.get(query)?.count ?? 0;
  }
  if (folder === undefined) return storageUsage(db, userId).files;
  const known = sql.selectFrom('file_folders').select('files').where('user_id', '=', userId);
  return db.get(known.where('folder', '=', folder))?.files ?? 0;
};

/** One page of a user's files, and the number of all that match. */
export const listFiles = (
  db: ReadableDb,
  userId: string,
  filter: FileFilter,
): { files: FileRecord[]; total: number } => ({
  files: db.all(filePage(userId, filter)).map(fileRecord),
  total: countFiles(db, userId, filter),
});

/** The folders in which a user has files, in alphabetical order. */
export const listFolders = (db: ReadableDb, userId: string): string[] =>
  db
    .all(sql.selectFrom('file_folders').select('folder').where('user_id', '=', userId).orderBy('folder'))
    .map((row) => row.folder);

/** A user's stored file. */
export type FileRecord = {
  readonly id: string;
  readonly userId: string;
  /** `/{user id}/{folder}/{name}`, unique. */
  readonly key: string;
  /** Random name of the file's bytes in the object folders. */
  readonly object: string;
  readonly folder: string;
  readonly originalName: string;
  /** Bytes. */
  readonly size: number;
  readonly mimeType: string;
  readonly isPublic: boolean;
  readonly metadata: FileMetadata;
  /** Hex. */
  readonly md5: string;
  /** Hex. */
  readonly sha256: string;
  /** Milliseconds since the epoch, as `modifiedAt`. */
  readonly uploadedAt: number;
  readonly modifiedAt: number;
};

/** Decodes a row of `files`. */
export const fileRecord = (row: FileRow): FileRecord => ({
  id: row.id,
  userId: row.user_id,
  key: row.key,
  object: row.object,
  folder: row.folder,
  originalName: row.original_name,
  size: row.size,
  mimeType: row.mime_type,
  isPublic: row.public === 1,
  metadata: metadataCodec.decode(row.metadata),
  md5: row.md5,
  sha256: row.sha256,
  uploadedAt: row.uploaded_at,
  modifiedAt: row.modified_at,
});

const fileRow = (file: FileRecord): FileRow => ({
  id: file.id,
  user_id: file.userId,
  key: file.key,
  object: file.object,
  folder: file.folder,
  original_name: file.originalName,
  size: file.size,
  mime_type: file.mimeType,
  public: file.isPublic ? 1 : 0,
  metadata: metadataCodec.encode(file.metadata),
  md5: file.md5,
  sha256: file.sha256,
  uploaded_at: file.uploadedAt,
  modified_at: file.modifiedAt,
});

const recordOrNone = (row: FileRow | undefined): FileRecord | undefined =>
  row === undefined ? undefined : fileRecord(row);

export const findFileByKey = (db: ReadableDb, key: string): FileRecord | undefined =>
  recordOrNone(db.get(sql.selectFrom('files').selectAll().where('key', '=', key)));

export const findFile = (db: ReadableDb, id: string): FileRecord | undefined =>
  recordOrNone(db.get(sql.selectFrom('files').selectAll().where('id', '=', id)));

export const filesOfUser = (db: ReadableDb, userId: string): FileRecord[] =>
  db.all(sql.selectFrom('files').selectAll().where('user_id', '=', userId).orderBy('id')).map(fileRecord);

/** The next files of all users in the order of their ids: files may be added and deleted between two calls. */
export const filesAfter = (db: ReadableDb, id: string, limit: number): FileRecord[] =>
  db.all(sql.selectFrom('files').selectAll().where('id', '>', id).orderBy('id').limit(limit)).map(fileRecord);

/** Whether a file refers to the object. */
export const hasFile = (db: ReadableDb, object: string): boolean =>
  db.get(sql.selectFrom('files').select('id').where('object', '=', object)) !== undefined;

/** Number and bytes of all users' files. */
export const storageTotals = (db: ReadableDb): { files: number; bytes: number } => {
  const totals = db.get(
    sql
      .selectFrom('storage_usage')
      .select((eb) => [
        eb.fn.sum<number | null>('files').as('files'),
        eb.fn.sum<number | null>('bytes').as('bytes'),
      ]),
  );
  return { files: totals?.files ?? 0, bytes: totals?.bytes ?? 0 };
};

/** Number and bytes of a user's files, kept by triggers. */
export const storageUsage = (db: ReadableDb, userId: string): { bytes: number; files: number } =>
  db.get(sql.selectFrom('storage_usage').select(['bytes', 'files']).where('user_id', '=', userId)) ?? {
    bytes: 0,
    files: 0,
  };

/** `{a: {b: 1}, tags: ["x", "y"]}` → `a.b` = 1, `tags` = x, `tags` = y. */
const flatten = (prefix: string, value: unknown): [string, string][] => {
  if (Array.isArray(value)) return value.flatMap((item) => flatten(prefix, item));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) =>
      flatten(prefix === '' ? key : `${prefix}.${key}`, inner),
    );
  }
  return [[prefix, String(value)]];
};

/** The row number by which the full-text index knows a file. */
const numberOf = (db: ReadableDb, id: string): number | undefined =>
  db.get(sql.selectFrom('files').select('number').where('id', '=', id))?.number;

const indexMetadata = (
  db: WritableDb,
  file: Pick<FileRecord, 'id' | 'userId' | 'originalName' | 'metadata'>,
): void => {
  const number = numberOf(db, file.id);
  if (number === undefined) return;
  const entries = flatten('', file.metadata);
  for (const [key, value] of entries) {
    const row = { user_id: file.userId, key, value, file_id: file.id };
    db.run(
      sql
        .insertInto('file_metadata')
        .values(row)
        .onConflict((oc) => oc.doNothing()),
    );
  }
  const text = entries.map(([, value]) => value).join('\n');
  db.run(sql.insertInto('files_text').values({ rowid: number, name: file.originalName, metadata: text }));
};

/** Inserts the row that makes a whole, flushed object a file. A trigger deletes the object's write intent. */
export const insertFile = (db: WritableDb, file: FileRecord, crc32: Uint8Array): void =>
  db.transaction(() => {
    db.run(sql.insertInto('files').values(fileRow(file)));
    db.run(sql.insertInto('object_checksums').values({ object: file.object, crc32 }));
    indexMetadata(db, file);
  });

type FileChange = {
  readonly isPublic?: boolean | undefined;
  readonly metadata?: FileMetadata | undefined;
  readonly modifiedAt: number;
};

export const updateFile = (db: WritableDb, file: FileRecord, change: FileChange): void =>
  db.transaction(() => {
    const columns = {
      public: (change.isPublic ?? file.isPublic) ? 1 : 0,
      metadata: metadataCodec.encode(change.metadata ?? file.metadata),
      modified_at: change.modifiedAt,
    };
    db.run(sql.updateTable('files').set(columns).where('id', '=', file.id));
    if (change.metadata === undefined) return;
    db.run(sql.deleteFrom('file_metadata').where('file_id', '=', file.id));
    db.run(sql.deleteFrom('files_text').where('rowid', '=', numberOf(db, file.id) ?? -1));
    indexMetadata(db, { ...file, metadata: change.metadata });
  });

/** Deletes the file row; a trigger queues its object for removal in the same transaction. */
export const deleteFile = (db: WritableDb, id: string): boolean =>
  db.run(sql.deleteFrom('files').where('id', '=', id)).changes > 0;

/** CRC-32 of each block of an object, four bytes each, or undefined for an unknown object. */
export const objectChecksums = (db: ReadableDb, object: string): Uint8Array | undefined =>
  db.get(sql.selectFrom('object_checksums').select('crc32').where('object', '=', object))?.crc32;

/**
 * Records that bytes may be written under this name, before the first one is: after a crash the sweeper finds them by
 * this row. The table is called `pending_objects`.
 */
export const insertWriteIntent = (db: WritableDb, object: string, now: number): void => {
  db.run(
    sql
      .insertInto('pending_objects')
      .values({ object, created_at: now })
      .onConflict((oc) => oc.doNothing()),
  );
};

export const deleteWriteIntent = (db: WritableDb, object: string): void => {
  db.run(sql.deleteFrom('pending_objects').where('object', '=', object));
};

/** Objects that were to be written or removed, and whose end was not recorded. Oldest first. */
export const writeIntents = (db: ReadableDb): string[] =>
  db.all(sql.selectFrom('pending_objects').select('object').orderBy('created_at')).map((row) => row.object);

/** The id that was written into a mirror's folder when it was first used. */
export const mirrorId = (db: ReadableDb, path: string): string | undefined =>
  db.get(sql.selectFrom('meta').select('value').where('key', '=', `mirror:${path}`))?.value;

export const saveMirrorId = (db: WritableDb, path: string, id: string): void => {
  db.run(sql.replaceInto('meta').values({ key: `mirror:${path}`, value: id }));
};
