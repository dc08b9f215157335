import BetterSqlite3 from 'better-sqlite3';
import type { Compilable } from 'kysely';
import type { ReadableDb } from './database.ts';
import { readSegments, type StoredSegment } from './segments.ts';

/** Reads the segments of a transcript through a connection of its own: for threads. */
export const readSegmentsOf = (databasePath: string, transcriptId: string): StoredSegment[] => {
  const file = new BetterSqlite3(databasePath, { readonly: true, fileMustExist: true });
  const statementOf = <R>(query: Compilable<R>) => {
    const { sql, parameters } = query.compile();
    // Kysely types the rows of the query that it compiled, and SQLite returns rows of exactly that query.
    return file.prepare(sql).bind(...parameters) as BetterSqlite3.Statement<unknown[], R>;
  };
  const db: ReadableDb = {
    all: (query) => statementOf(query).all(),
    get: (query) => statementOf(query).get(),
  };
  try {
    return file.transaction(() => readSegments(db, transcriptId))();
  } finally {
    file.close();
  }
};
