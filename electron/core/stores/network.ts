import { ConnectionPurpose } from '../../contract/system.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';

/** An entry of the connection log. */
export type Connection = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly host: string;
  /** The remote address; null if there was no connection. */
  readonly address: string | null;
  readonly purpose: ConnectionPurpose;
  readonly bytes: number;
  readonly error: string | null;
};

/** The connection log keeps this many entries. */
export const MAX_CONNECTIONS = 10_000;

/** Appends connections in the order in which they ended, and deletes the oldest beyond MAX_CONNECTIONS. */
export const insertConnections = (db: WritableDb, connections: readonly Connection[]): void =>
  db.transaction(() => {
    for (const connection of connections) db.run(sql.insertInto('connections').values(connection));
    db.run(
      sql
        .deleteFrom('connections')
        .where('number', '<=', (query) =>
          query
            .selectFrom('connections as c')
            .select((eb) => eb(eb.fn.max('c.number'), '-', MAX_CONNECTIONS).as('last')),
        ),
    );
  });

/** A purpose that an older version wrote, and this one does not know, reads as `page`. */
const StoredPurpose = ConnectionPurpose.catch('page');

/** The latest connections, newest first. */
export const listConnections = (db: ReadableDb, limit: number): Connection[] =>
  db
    .all(
      sql
        .selectFrom('connections')
        .select(['at', 'host', 'address', 'purpose', 'bytes', 'error'])
        .orderBy('number', 'desc')
        .limit(limit),
    )
    .map((row) => ({ ...row, purpose: StoredPurpose.parse(row.purpose) }));
