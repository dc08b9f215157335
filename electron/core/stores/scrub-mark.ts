import { type ReadableDb, sql, type WritableDb } from './database.ts';

const MARK = 'scrub';

/** Where replaced or deleted content lingers: in the write-ahead log and between rows, or also in the search index. */
export type ScrubScope = 'log' | 'index';

/** What is still to be done. */
export const scrubMarkOf = (db: ReadableDb): ScrubScope | undefined => {
  const value = db.get(sql.selectFrom('meta').select('value').where('key', '=', MARK))?.value;
  if (value === undefined) return undefined;
  return value === 'index' ? 'index' : 'log';
};

export const setScrubMark = (db: WritableDb, value: ScrubScope): void => {
  db.run(sql.replaceInto('meta').values({ key: MARK, value }));
};

/**
 * Notes that private content was just replaced or deleted and must also leave the database files and backups. Call it in
 * the same transaction. `startScrubbing` and, after a crash, the next start do the rest; call `runPendingScrub` after the commit
 * if it must not wait.
 */
export const markForScrub = (db: WritableDb, scope: ScrubScope): void =>
  setScrubMark(db, scrubMarkOf(db) === 'index' ? 'index' : scope);

/** Whether something erased is still to be removed from the database files. */
export const isScrubPending = (db: ReadableDb): boolean => scrubMarkOf(db) !== undefined;

/**
 * How often something began to be erased; a trigger counts. A copy of the database with a lower number may hold what has
 * been erased since.
 */
export const erasuresOf = (db: ReadableDb): number =>
  Number(db.get(sql.selectFrom('meta').select('value').where('key', '=', 'erasures'))?.value);

/** Forgets the mark: nothing lingers any more. */
export const clearScrubMark = (db: WritableDb): void => {
  db.run(sql.deleteFrom('meta').where('key', '=', MARK));
};
