import { isDeepStrictEqual } from 'node:util';
import { createYielder } from '../../base/event-loop.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type EditPatch, encodePatch } from '../../stores/edits.ts';
import { differingSpan } from '../../stores/segment-spans.ts';
import { readSegmentsInSteps, type StoredSegment } from '../../stores/segments.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import type { Diarized } from './diarize.ts';
import type { Speakers } from './diarize-names.ts';

/** Segments that one patch brings back: undoing it takes 20 to 40 ms. */
const BATCH = 400;

type Span = EditPatch['spans'][number];

/** How to take back the new segments part by part: each span fits once those after it are taken back. */
const inverseParts = async (
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): Promise<Span[]> => {
  const yieldIfDue = createYielder();
  const parts: Span[] = [];
  let at = 0;
  for (let from = 0; from < before.length; from += BATCH) {
    const next = before[from + BATCH];
    const found =
      next === undefined ? -1 : after.findIndex(({ start }, index) => index >= at && start >= next.start);
    const to = found === -1 ? after.length : found;
    const old = before.slice(from, from + BATCH);
    for (const span of differingSpan(old, after.slice(at, to))) {
      const segments = old.slice(span.at, span.at + span.count);
      parts.push({ at: at + span.at, count: span.segments.length, segments });
    }
    at = to;
    await yieldIfDue();
  }
  return parts;
};

/**
 * What undoes a new diarization, encoded: one edit for each part of a long transcript. None where nothing changed.
 */
export const diarizationPatches = async (
  db: ReadableDb,
  { id, analysis }: Pick<Transcript, 'id' | 'analysis'>,
  {
    segments,
    speakers,
    embeddings,
  }: Pick<Diarized, 'segments' | 'embeddings'> & { readonly speakers: Speakers | undefined },
): Promise<string[]> => {
  const yieldIfDue = createYielder();
  const spans = await inverseParts(await readSegmentsInSteps(db, id, yieldIfDue), segments);
  if (spans.length === 0 && isDeepStrictEqual(speakers, analysis.speakers)) return [];
  // In each, since an edit of segments alone would move shares of talk.
  const undo = { speakers: analysis.speakers ?? null, forgetsVoices: embeddings !== undefined };
  const patches = [encodePatch({ ...undo, spans: spans.slice(0, 1) })];
  for (const span of spans.slice(1)) {
    await yieldIfDue();
    patches.push(encodePatch({ ...undo, spans: [span], follows: true }));
  }
  return patches;
};
