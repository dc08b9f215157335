import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { SessionRow } from './schema.ts';

export const insertSession = (db: WritableDb, session: SessionRow): void => {
  db.run(sql.replaceInto('sessions').values(session));
};

/** A session that was used at `since` or later. */
export const findSession = (
  db: ReadableDb,
  hash: string,
  kind: SessionRow['kind'],
  since: number,
): SessionRow | undefined =>
  db.get(
    sql
      .selectFrom('sessions')
      .selectAll()
      .where('hash', '=', hash)
      .where('kind', '=', kind)
      .where('used_at', '>=', since),
  );

export const touchSession = (db: WritableDb, hash: string, at: number): void => {
  db.run(sql.updateTable('sessions').set({ used_at: at }).where('hash', '=', hash));
};

export const sessionsOf = (db: ReadableDb, userId: string): string[] =>
  db.all(sql.selectFrom('sessions').select('hash').where('user_id', '=', userId)).map(({ hash }) => hash);

export const deleteSessionsBefore = (db: WritableDb, since: number): void => {
  db.run(sql.deleteFrom('sessions').where('used_at', '<', since));
};
