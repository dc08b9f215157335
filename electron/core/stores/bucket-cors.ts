import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { CorsRow } from './schema.ts';

export const findCors = (db: ReadableDb, userId: string): CorsRow | undefined =>
  db.get(sql.selectFrom('bucket_cors').selectAll().where('user_id', '=', userId));

export const saveCors = (db: WritableDb, row: CorsRow): void => {
  db.run(sql.replaceInto('bucket_cors').values(row));
};
