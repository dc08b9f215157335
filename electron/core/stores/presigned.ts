import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { PresignedRow } from './schema.ts';

export const insertPresigned = (db: WritableDb, row: PresignedRow): void => {
  db.run(sql.insertInto('presigned_uploads').values(row));
};

export const findPresigned = (db: ReadableDb, nonce: string): PresignedRow | undefined =>
  db.get(sql.selectFrom('presigned_uploads').selectAll().where('nonce', '=', nonce));

export const isPresignedKey = (db: ReadableDb, key: string): boolean =>
  db.get(sql.selectFrom('presigned_uploads').select('nonce').where('key', '=', key)) !== undefined;

export const markPresignedUsed = (db: WritableDb, nonce: string): void => {
  db.run(sql.updateTable('presigned_uploads').set({ used: 1 }).where('nonce', '=', nonce));
};

/** Forgets uploads that expired before `time`: their tokens are refused by their own date. */
export const forgetPresigned = (db: WritableDb, time: number): void => {
  db.run(sql.deleteFrom('presigned_uploads').where('expires_at', '<', time));
};
