import { createYielder } from '../../base/event-loop.ts';
import type { WritableDb } from '../../stores/database.ts';
import { type IndexedText, prepareIndexedText } from '../../stores/search.ts';
import { type StagedSegments, type StoredSegment, stageSegments } from '../../stores/segments.ts';
import { computeTotals } from './totals.ts';

/** The text of a job's transcript, ready to be stored. */
export type PreparedText = {
  readonly totals: ReturnType<typeof computeTotals>;
  readonly segments: StagedSegments;
  readonly indexed: IndexedText;
};

/**
 * Does what is costly about storing ten hours of text while other requests are let in, so that little is left for the
 * transaction. The job is the only one that writes the segments. Throws `interrupted` where it no longer holds the job.
 */
export const prepareText = async (
  db: WritableDb,
  job: { readonly id: string; readonly attempt: number },
  segments: readonly StoredSegment[],
): Promise<PreparedText> => {
  const yieldIfDue = createYielder();
  const totals = computeTotals(segments);
  await yieldIfDue();
  const indexed = await prepareIndexedText(totals.text, yieldIfDue);
  return { totals, indexed, segments: await stageSegments(db, job, segments, yieldIfDue) };
};
