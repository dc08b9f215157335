import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SplitSpeaker } from '../../../contract/transcript-edits.ts';
import { withWordSpeakers } from '../../pipeline/findings/speaker-words.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type Direction, type EditPatch, readTextPatches } from '../../stores/edits.ts';
import { readSegment, readSegments, type SegmentText, type StoredSegment } from '../../stores/segments.ts';
import type { Replacement, SegmentEdit } from './edited-segments.ts';

/** Gives the segments of one speaker to another. */
export const mergeReplacements = (
  db: ReadableDb,
  id: string,
  segments: readonly SegmentText[],
  from: string,
  into: string,
): Replacement[] => {
  const isTaken = (segment: StoredSegment): boolean =>
    segment.speaker_id === from || segment.words.some(({ speaker_id }) => speaker_id === from);
  return readSegments(db, id, segments[0]?.id).flatMap((segment, at) => {
    if (!isTaken(segment)) return [];
    const speakerOf = (word: number) =>
      (segment.words[word]?.speaker_id ?? segment.speaker_id) === from ? into : undefined;
    return [{ span: { at, count: 1, segments: withWordSpeakers(segment, speakerOf) }, replaced: [segment] }];
  });
};

/** The edits that give chosen segments of one speaker to another. */
export const splitEdits = (from: string, to: string, chosen: SplitSpeaker['segments']): SegmentEdit[] =>
  chosen.map((each) => {
    const { id, words } = typeof each === 'number' ? { id: each, words: undefined } : each;
    return { id, speaker_id: to, was_speaker_id: from, ...(words === undefined ? {} : { words }) };
  });

/** The segments that a step in the history replaces; undefined where it does not fit the transcript. */
export const patchReplacements = (
  db: ReadableDb,
  id: string,
  segments: readonly SegmentText[],
  { spans }: EditPatch,
): Replacement[] | undefined => {
  if (spans.some(({ at, count }) => at + count > segments.length)) return undefined;
  return spans.map((span) => ({
    span,
    replaced: segments
      .slice(span.at, span.at + span.count)
      .flatMap((each) => readSegment(db, id, each.id) ?? []),
  }));
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
