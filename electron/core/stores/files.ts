import { type FileMetadata, metadataCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { FileRow } from './schema.ts';

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
