import { AppError, hasDiskFullCode } from '../base/errors.ts';
import type { YieldIfDue } from '../base/event-loop.ts';
import type { WritableDb } from './database.ts';
import { isClaimed } from './jobs.ts';
import { announceOthers, deleteOthers, nextRange, switchToNextRange } from './segment-ranges.ts';
import { areSegmentsOf, insertSegmentsFrom, type StoredSegment } from './segments.ts';

/** Segments of a job that wait to become those of its transcript. */
export type StagedSegments = {
  readonly transcriptId: string;
  /** False where the transcript has the same already, and nothing was written. */
  readonly isChange: boolean;
};

/** Rows that are written before other requests are let in. */
const BATCH = 400;

/**
 * Writes all segments that a job's transcript is to have, beside those it has, in steps between which other requests get
 * their turn: ten hours take as long as a noticeable pause. `switchToStaged` makes them those of the transcript. Nothing
 * else may write its segments until then. Throws `interrupted` where the job is no longer the caller's.
 */
export const stageSegments = async (
  db: WritableDb,
  { id, attempt }: { readonly id: string; readonly attempt: number },
  segments: readonly StoredSegment[],
  yieldIfDue: YieldIfDue,
): Promise<StagedSegments> => {
  if (await areSegmentsOf(db, id, segments, yieldIfDue)) return { transcriptId: id, isChange: false };
  // Of an earlier attempt.
  await deleteOthers(db, id, 'abandoned');
  const place = { transcript_id: id, chunk: 0, first: nextRange(db, id).from };
  for (let from = 0; from === 0 || from < segments.length; from += BATCH) {
    db.transaction(() => {
      if (!isClaimed(db, id, attempt)) throw new AppError('interrupted', 'This job was taken over.');
      announceOthers(db, id);
      insertSegmentsFrom(db, place, segments.slice(from, from + BATCH));
    });
    await yieldIfDue();
  }
  return { transcriptId: id, isChange: true };
};

/** Makes staged segments those of their transcript. Call it in the transaction that writes what goes with them. */
export const switchToStaged = (db: WritableDb, { transcriptId, isChange }: StagedSegments): void => {
  if (isChange) switchToNextRange(db, transcriptId);
};

/** Deletes what staged segments replaced, after the commit, in steps. A full disk leaves that to the next start. */
export const deleteReplaced = async (
  db: WritableDb,
  { transcriptId, isChange }: StagedSegments,
): Promise<void> => {
  try {
    if (isChange) await deleteOthers(db, transcriptId, 'replaced');
  } catch (error) {
    if (!hasDiskFullCode(error)) throw error;
  }
};
