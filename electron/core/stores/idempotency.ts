import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { Tables } from './schema.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What was first asked under this key within the last 24 hours. */
export const findIdempotent = (
  db: ReadableDb,
  userId: string,
  key: string,
  now: number,
): Tables['idempotency'] | undefined =>
  db.get(
    sql
      .selectFrom('idempotency')
      .selectAll()
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('created_at', '>', now - DAY),
  );

/** Remembers a key, and forgets those older than 24 hours. */
export const rememberIdempotent = (db: WritableDb, entry: Tables['idempotency']): void => {
  db.run(sql.deleteFrom('idempotency').where('created_at', '<=', entry.created_at - DAY));
  db.run(sql.replaceInto('idempotency').values(entry));
};
