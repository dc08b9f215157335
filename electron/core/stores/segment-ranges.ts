import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import { isScrubPending, markForScrub } from './scrub-mark.ts';

/** Ids from one range to the next: more than a transcript can have segments. */
const RANGE = 2 ** 31;
/** Rows that are deleted before other requests are let in. */
const BATCH = 1000;

/** Ids of the rows that are a transcript's segments, without `to`. */
export type IdRange = { readonly from: number; readonly to: number };

const rangeFrom = (from: number): IdRange => ({ from, to: from + RANGE });

/** Where the segments of a transcript lie. Read it with them in one transaction or one turn of the event loop. */
export const rangeOf = (db: ReadableDb, transcriptId: string): IdRange =>
  rangeFrom(
    db.get(sql.selectFrom('segment_ranges').select('first_id').where('transcript_id', '=', transcriptId))
      ?.first_id ?? 0,
  );

/** Where segments are written that are to replace those of a transcript. */
export const nextRange = (db: ReadableDb, transcriptId: string): IdRange =>
  rangeFrom(rangeOf(db, transcriptId).to);

const put = (db: WritableDb, transcriptId: string, first: number, hasOthers: boolean): void => {
  const row = { first_id: first, has_others: hasOthers ? 1 : 0 };
  db.run(
    sql
      .insertInto('segment_ranges')
      .values({ transcript_id: transcriptId, ...row })
      .onConflict((conflict) => conflict.column('transcript_id').doUpdateSet(row)),
  );
};

/** Notes that rows are written that are not segments of the transcript yet. */
export const announceOthers = (db: WritableDb, transcriptId: string): void =>
  put(db, transcriptId, rangeOf(db, transcriptId).from, true);

/** Makes the rows of the next range the segments of the transcript; those before are replaced. */
export const switchToNextRange = (db: WritableDb, transcriptId: string): void =>
  put(db, transcriptId, nextRange(db, transcriptId).from, true);

/** Call it once all rows of the transcript are deleted. */
export const resetRange = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.deleteFrom('segment_ranges').where('transcript_id', '=', transcriptId));
};

type Others = 'replaced' | 'abandoned';

const idsOf = (db: ReadableDb, transcriptId: string, others: Others) => {
  const { from, to } = rangeOf(db, transcriptId);
  const own = sql.selectFrom('segments').select('id').where('transcript_id', '=', transcriptId);
  return others === 'replaced' ? own.where('id', '<', from) : own.where('id', '>=', to);
};

/** Deletes at most `count` rows and settles whether there are others. Returns whether more of the same are left. */
const deleteSome = (db: WritableDb, transcriptId: string, others: Others, count: number): boolean =>
  db.transaction(() => {
    const ids = idsOf(db, transcriptId, others).orderBy('id').limit(count);
    db.run(sql.deleteFrom('segments').where('transcript_id', '=', transcriptId).where('id', 'in', ids));
    const has = (which: Others) => db.get(idsOf(db, transcriptId, which).limit(1)) !== undefined;
    if (has(others)) return true;
    put(db, transcriptId, rangeOf(db, transcriptId).from, has('replaced') || has('abandoned'));
    // What was erased by replacing it has left the tables only now.
    if (isScrubPending(db)) markForScrub(db, 'log');
    return false;
  }, 'deletion');

/** Deletes rows that are not segments of the transcript, while other requests are let in. */
export const deleteOthers = async (db: WritableDb, transcriptId: string, others: Others): Promise<void> => {
  while (deleteSome(db, transcriptId, others, BATCH)) await nextTurn();
};

const withOthers = sql.selectFrom('segment_ranges').select('transcript_id').where('has_others', '=', 1);

/** Deletes what a killed program left: replaced segments, and others that were being written. Call it while no job runs. */
export const deleteAllOthers = (db: WritableDb): void => {
  for (const { transcript_id: id } of db.all(withOthers)) {
    for (const others of ['replaced', 'abandoned'] as const) deleteSome(db, id, others, RANGE);
  }
};

/**
 * Deletes a part of what ended jobs left. Returns whether there still are rows that are not segments of their transcript,
 * those of running jobs included.
 */
export const deleteLeftovers = (db: WritableDb): boolean => {
  const left = withOthers.where(
    'transcript_id',
    'in',
    sql.selectFrom('transcripts').select('id').where('status', '!=', 'processing'),
  );
  const id = db.get(left.limit(1))?.transcript_id;
  if (id !== undefined && !deleteSome(db, id, 'replaced', BATCH)) deleteSome(db, id, 'abandoned', BATCH);
  return db.get(withOthers.limit(1)) !== undefined;
};
