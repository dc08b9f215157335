import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { FileRow } from './schema.ts';

export const findFileByKey = (db: ReadableDb, key: string): FileRow | undefined =>
  db.get(sql.selectFrom('files').selectAll().where('key', '=', key));

export const findFile = (db: ReadableDb, id: string): FileRow | undefined =>
  db.get(sql.selectFrom('files').selectAll().where('id', '=', id));

export const filesOfUser = (db: ReadableDb, userId: string): FileRow[] =>
  db.all(sql.selectFrom('files').selectAll().where('user_id', '=', userId).orderBy('id'));

/** All files after `afterId`, in the order of their ids: for walking over everything in small steps. */
export const filesAfter = (db: ReadableDb, afterId: string, limit: number): FileRow[] =>
  db.all(sql.selectFrom('files').selectAll().where('id', '>', afterId).orderBy('id').limit(limit));

export const isKnownObject = (db: ReadableDb, object: string): boolean =>
  db.get(sql.selectFrom('files').select('id').where('object', '=', object)) !== undefined;

/** How much is stored in all: files and bytes. */
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

export const storageUsage = (db: ReadableDb, userId: string): { bytes: number; files: number } =>
  db.get(sql.selectFrom('storage_usage').select(['bytes', 'files']).where('user_id', '=', userId)) ?? {
    bytes: 0,
    files: 0,
  };

type Metadata = Readonly<Record<string, unknown>>;

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

const indexMetadata = (db: WritableDb, file: FileRow, metadata: Metadata): void => {
  const number = db.get(sql.selectFrom('files').select('number').where('id', '=', file.id))?.number;
  if (number === undefined) return;
  const entries = flatten('', metadata);
  for (const [key, value] of entries) {
    const row = { user_id: file.user_id, key, value, file_id: file.id };
    db.run(
      sql
        .insertInto('file_metadata')
        .values(row)
        .onConflict((oc) => oc.doNothing()),
    );
  }
  const text = entries.map(([, value]) => value).join('\n');
  db.run(sql.insertInto('files_text').values({ rowid: number, name: file.original_name, metadata: text }));
};

/** Records a whole, flushed object as a file; from here on it counts. */
export const insertFile = (db: WritableDb, file: FileRow, crc32: Uint8Array): void =>
  db.transaction(() => {
    db.run(sql.insertInto('files').values(file));
    db.run(sql.insertInto('object_checksums').values({ object: file.object, crc32 }));
    // Written by the service that serialised it.
    indexMetadata(db, file, JSON.parse(file.metadata) as Metadata);
  });

export const updateFile = (
  db: WritableDb,
  file: FileRow,
  change: Partial<Pick<FileRow, 'public' | 'metadata' | 'modified_at'>>,
): void =>
  db.transaction(() => {
    db.run(sql.updateTable('files').set(change).where('id', '=', file.id));
    if (change.metadata === undefined) return;
    const number = db.get(sql.selectFrom('files').select('number').where('id', '=', file.id))?.number ?? -1;
    db.run(sql.deleteFrom('file_metadata').where('file_id', '=', file.id));
    db.run(sql.deleteFrom('files_text').where('rowid', '=', number));
    // As in `insertFile`.
    indexMetadata(db, file, JSON.parse(change.metadata) as Metadata);
  });

/** Ends a file; its object is noted for removal in the same transaction. */
export const deleteFile = (db: WritableDb, id: string): boolean =>
  db.run(sql.deleteFrom('files').where('id', '=', id)).changes > 0;

/** CRC-32 of each block of an object, four bytes each, or undefined for an object that is not known. */
export const objectChecksums = (db: ReadableDb, object: string): Uint8Array | undefined =>
  db.get(sql.selectFrom('object_checksums').select('crc32').where('object', '=', object))?.crc32;

/** Says that bytes of this name may exist without a file: what a crash leaves is found by it. */
export const notePending = (db: WritableDb, object: string, now: number): void => {
  db.run(
    sql
      .insertInto('pending_objects')
      .values({ object, created_at: now })
      .onConflict((oc) => oc.doNothing()),
  );
};

export const clearPending = (db: WritableDb, object: string): void => {
  db.run(sql.deleteFrom('pending_objects').where('object', '=', object));
};

export const pendingObjects = (db: ReadableDb): string[] =>
  db.all(sql.selectFrom('pending_objects').select('object').orderBy('created_at')).map((row) => row.object);

/** The id that was written into a mirror's folder when it was first used. */
export const mirrorId = (db: ReadableDb, path: string): string | undefined =>
  db.get(sql.selectFrom('meta').select('value').where('key', '=', `mirror:${path}`))?.value;

export const rememberMirror = (db: WritableDb, path: string, id: string): void => {
  db.run(sql.replaceInto('meta').values({ key: `mirror:${path}`, value: id }));
};
