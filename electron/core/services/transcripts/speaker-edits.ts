import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SplitSpeaker } from '../../../contract/transcript-edits.ts';
import type { YieldIfDue } from '../../base/event-loop.ts';
import { withWordSpeakers } from '../../pipeline/findings/speaker-words.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type Direction, type EditPatch, readTextPatches } from '../../stores/edits.ts';
import { readSegment, readSegments, type SegmentText, type StoredSegment } from '../../stores/segments.ts';
import type { Replacement, SegmentEdit } from './edited-segments.ts';

/** Segments that are read, or written, before other requests are let in: 20 to 40 ms of work. */
const BATCH = 400;

type Merge = { readonly from: string; readonly into: string };
type MergeStep = {
  readonly replacements: readonly Replacement[];
  /** The place at which the next step goes on; undefined at the end. */
  readonly next: number | undefined;
};

/** Gives segments of one speaker to another, beginning at a place and ending where they are many. */
export const mergeStep = async (
  db: ReadableDb,
  id: string,
  segments: readonly SegmentText[],
  { from, into }: Merge,
  start: number,
): Promise<MergeStep> => {
  const isTaken = (segment: StoredSegment): boolean =>
    segment.speaker_id === from || segment.words.some(({ speaker_id }) => speaker_id === from);
  const replacements: Replacement[] = [];
  for (let place = start; place < segments.length; place += BATCH) {
    for (const [index, segment] of readSegments(db, id, segments[place]?.id, BATCH).entries()) {
      if (!isTaken(segment)) continue;
      const speakerOf = (word: number) =>
        (segment.words[word]?.speaker_id ?? segment.speaker_id) === from ? into : undefined;
      const span = { at: place + index, count: 1, segments: withWordSpeakers(segment, speakerOf) };
      replacements.push({ span, replaced: [segment] });
    }
    const next = place + BATCH;
    if (replacements.length >= BATCH && next < segments.length) return { replacements, next };
    await nextTurn();
  }
  return { replacements, next: undefined };
};

/** The edits that give chosen segments of one speaker to another. */
export const splitEdits = (from: string, to: string, chosen: SplitSpeaker['segments']): SegmentEdit[] =>
  chosen.map((each) => {
    const { id, words } = typeof each === 'number' ? { id: each, words: undefined } : each;
    return { id, speaker_id: to, was_speaker_id: from, ...(words === undefined ? {} : { words }) };
  });

/** The segments that a step in the history replaces; undefined where it does not fit the transcript. */
export const patchReplacements = async (
  db: ReadableDb,
  id: string,
  segments: readonly SegmentText[],
  { spans }: EditPatch,
  yieldIfDue: YieldIfDue,
): Promise<Replacement[] | undefined> => {
  if (spans.some(({ at, count }) => at + count > segments.length)) return undefined;
  const replacements: Replacement[] = [];
  for (const span of spans) {
    const replaced: StoredSegment[] = [];
    for (const each of segments.slice(span.at, span.at + span.count)) {
      const segment = readSegment(db, id, each.id);
      if (segment !== undefined) replaced.push(segment);
      await yieldIfDue();
    }
    replacements.push({ span, replaced });
  }
  return replacements;
};

/** What a person sees of segments. */
const visible = (segments: readonly StoredSegment[]) =>
  segments.map(({ text, speaker_id, words }) => ({
    text: text.trim(),
    speaker_id,
    starts: words.map(({ startsParagraph }) => startsParagraph ?? null),
  }));

/** Edits of the same segments that are looked through: a window saves what is being typed every second or two. */
const MAX_STEPS = 30;

/**
 * The steps in the history that come to the same as new texts: typing the old text again undoes the edits, with the times
 * and the confidence of its words.
 */
export const matchingTurn = async (
  db: ReadableDb,
  id: string,
  replacements: readonly Replacement[],
): Promise<{ readonly direction: Direction; readonly steps: number } | undefined> => {
  if (replacements.length === 0) return undefined;
  const fits = ({ spans }: EditPatch): boolean =>
    spans.length === replacements.length &&
    spans.every(({ at, count }, index) => {
      const own = replacements[index]?.span;
      return own?.at === at && own.count === count;
    });
  const leadsThere = ({ spans }: EditPatch): boolean =>
    spans.every(({ segments }, index) =>
      isDeepStrictEqual(visible(replacements[index]?.span.segments ?? []), visible(segments)),
    );
  const directions: readonly Direction[] = ['undo', 'redo'];
  for (const direction of directions) {
    let steps = 0;
    for (const patch of readTextPatches(db, id, direction, MAX_STEPS)) {
      if (!fits(patch)) break;
      steps++;
      if (leadsThere(patch)) return { direction, steps };
      // One patch may hold 50,000 words.
      await nextTurn();
    }
  }
  return undefined;
};
