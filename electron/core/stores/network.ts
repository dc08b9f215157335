import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { ConnectionRow } from './schema.ts';

/** How many connections are remembered. */
export const KEPT_CONNECTIONS = 10_000;

/** Adds connections in the order in which they ended, and forgets the oldest beyond what is kept. */
export const insertConnections = (db: WritableDb, rows: readonly ConnectionRow[]): void =>
  db.transaction(() => {
    for (const row of rows) db.run(sql.insertInto('connections').values(row));
    db.run(
      sql
        .deleteFrom('connections')
        .where('number', '<=', (query) =>
          query
            .selectFrom('connections as c')
            .select((eb) => eb(eb.fn.max('c.number'), '-', KEPT_CONNECTIONS).as('last')),
        ),
    );
  });

/** The latest connections, newest first. */
export const listConnections = (db: ReadableDb, limit: number): ConnectionRow[] =>
  db.all(sql.selectFrom('connections').selectAll().orderBy('number', 'desc').limit(limit));
