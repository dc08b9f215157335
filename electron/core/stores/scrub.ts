import { type ReadableDb, sql, type WritableDb } from './database.ts';
import { compactIndex } from './search.ts';

const MARK = 'scrub';

/** Where replaced or deleted content lingers: in the write-ahead log, or also in the search index. */
export type ScrubScope = 'log' | 'index';

const markOf = (db: ReadableDb): string | undefined =>
  db.get(sql.selectFrom('meta').select('value').where('key', '=', MARK))?.value;

/**
 * Notes that private content was just replaced or deleted and must also leave the database files. Call it in the
 * same transaction, and `runPendingScrub` after the commit; after a crash in between, the next start does it.
 */
export const markForScrub = (db: WritableDb, scope: ScrubScope): void => {
  const value = markOf(db) === 'index' ? 'index' : scope;
  db.run(sql.replaceInto('meta').values({ key: MARK, value }));
};

/** Removes what `markForScrub` noted from the database files. Not inside a transaction. */
export const runPendingScrub = (db: WritableDb): void => {
  const mark = markOf(db);
  if (mark === undefined) return;
  if (mark === 'index') compactIndex(db);
  // While another process reads, the log cannot be emptied: the mark stays for the next time.
  if (db.checkpoint()) db.run(sql.deleteFrom('meta').where('key', '=', MARK));
};
