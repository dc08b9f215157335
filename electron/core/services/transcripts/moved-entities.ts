import type { Entity } from '../../../contract/analysis.ts';
import { locateSegments } from '../../analysis/offsets.ts';

/** A text and those of its segments, in order. */
export type SegmentedText = {
  readonly text: string;
  readonly segments: readonly { readonly text: string }[];
};

/** A segment's place before and after the edit, and how much of its beginning and its end stayed. */
type Move = {
  readonly before: { readonly from: number; readonly to: number };
  readonly after: { readonly from: number; readonly to: number };
  readonly prefix: number;
  readonly suffix: number;
};

export const commonPrefix = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
};

export const commonSuffix = (a: string, b: string, most = Math.min(a.length, b.length)): number => {
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length++;
  return length;
};

const movesOf = (before: SegmentedText, after: SegmentedText): Move[] => {
  const places = locateSegments(after.text, after.segments);
  return locateSegments(before.text, before.segments).flatMap((place, index) => {
    const now = places[index];
    if (now === undefined) return [];
    const [old, text] = [before.text.slice(place.from, place.to), after.text.slice(now.from, now.to)];
    return [{ before: place, after: now, prefix: commonPrefix(old, text), suffix: commonSuffix(old, text) }];
  });
};

/** Where an offset of the old text may be in the new one: with the segment's unchanged beginning, or with its end. */
const movedOffsets = ({ before, after, prefix, suffix }: Move, offset: number): number[] => [
  ...(offset - before.from <= prefix ? [after.from + offset - before.from] : []),
  ...(before.to - offset <= suffix ? [after.to - (before.to - offset)] : []),
];

/**
 * The entities of a text at their places in an edited one, whose segments are the same in number and order. Those whose
 * words the edit changed are left out.
 */
export const moveEntities = (
  entities: readonly Entity[],
  before: SegmentedText,
  after: SegmentedText,
): Entity[] => {
  const moves = movesOf(before, after);
  let first = 0;
  return [...entities]
    .sort((a, b) => a.startIndex - b.startIndex)
    .flatMap((entity) => {
      while ((moves[first]?.before.to ?? Number.POSITIVE_INFINITY) <= entity.startIndex) first++;
      let last = first;
      while ((moves[last]?.before.to ?? Number.POSITIVE_INFINITY) < entity.endIndex) last++;
      const [start, end] = [moves[first], moves[last]];
      if (start === undefined || end === undefined) return [];
      const places = movedOffsets(start, entity.startIndex).flatMap((startIndex) =>
        movedOffsets(end, entity.endIndex).map((endIndex) => ({ startIndex, endIndex })),
      );
      const place = places.find(
        ({ startIndex, endIndex }) => after.text.slice(startIndex, endIndex) === entity.text,
      );
      return place === undefined ? [] : [{ ...entity, ...place }];
    });
};
