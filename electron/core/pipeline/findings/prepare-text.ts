import { createYielder } from '../../base/event-loop.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type IndexedText, prepareIndexedText } from '../../stores/search.ts';
import { type PreparedSegments, prepareSegments, type StoredSegment } from '../../stores/segments.ts';
import { computeTotals } from './totals.ts';

/** The text of a job's transcript, ready to be stored. */
export type PreparedText = {
  readonly totals: ReturnType<typeof computeTotals>;
  readonly segments: PreparedSegments;
  readonly indexed: IndexedText;
};

/**
 * Does what is costly about storing ten hours of text while other requests are let in, so that the transaction only
 * writes. The job is the only one that writes the segments.
 */
export const prepareText = async (
  db: ReadableDb,
  transcriptId: string,
  segments: readonly StoredSegment[],
): Promise<PreparedText> => {
  const yieldIfDue = createYielder();
  const totals = computeTotals(segments);
  await yieldIfDue();
  const indexed = await prepareIndexedText(totals.text, yieldIfDue);
  return { totals, indexed, segments: await prepareSegments(db, transcriptId, segments, yieldIfDue) };
};
