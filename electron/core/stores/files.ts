import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { FileRow } from './schema.ts';

export const insertFile = (db: WritableDb, file: FileRow): void => {
  db.run(sql.insertInto('files').values(file));
};

export const findFileByKey = (db: ReadableDb, key: string): FileRow | undefined =>
  db.get(sql.selectFrom('files').selectAll().where('key', '=', key));

export const findFile = (db: ReadableDb, id: string): FileRow | undefined =>
  db.get(sql.selectFrom('files').selectAll().where('id', '=', id));

export const deleteFile = (db: WritableDb, id: string): boolean =>
  db.run(sql.deleteFrom('files').where('id', '=', id)).changes > 0;

export const storageUsage = (db: ReadableDb, userId: string): { bytes: number; files: number } =>
  db.get(sql.selectFrom('storage_usage').select(['bytes', 'files']).where('user_id', '=', userId)) ?? {
    bytes: 0,
    files: 0,
  };
