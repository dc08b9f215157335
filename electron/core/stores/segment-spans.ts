import { isDeepStrictEqual } from 'node:util';
import { sql, type WritableDb } from './database.ts';
import { rangeOf } from './segment-ranges.ts';
import {
  insertSegments,
  readSegments,
  readSegmentTexts,
  replaceSegments,
  type StoredSegment,
  updateSegment,
} from './segments.ts';

/** Segments that stand in the place of `count` others; places count from 0. */
export type SegmentSpan = {
  readonly at: number;
  readonly count: number;
  readonly segments: readonly StoredSegment[];
};

/** More spans than this that change the number of segments cost less when all segments are written again. */
const MAX_SHIFTS = 8;

/** Adds `by` to the ids from `from` on, by way of negative ones, which never collide. */
const shiftIds = (db: WritableDb, transcriptId: string, from: number, by: number): void => {
  const range = rangeOf(db, transcriptId);
  const ids = sql.updateTable('segments').where('transcript_id', '=', transcriptId);
  db.run(
    ids
      .set((eb) => ({ id: eb(eb.neg('id'), '-', by + 1) }))
      .where('id', '>=', range.from + from)
      .where('id', '<', range.to),
  );
  db.run(ids.set((eb) => ({ id: eb(eb.neg('id'), '-', 1) })).where('id', '<', 0));
};

/** Replaces segments by place. The spans are in order and do not touch; their places are those before all of them. */
export const replaceSpans = (db: WritableDb, transcriptId: string, spans: readonly SegmentSpan[]): void =>
  db.transaction(() => {
    if (spans.filter(({ count, segments }) => count !== segments.length).length > MAX_SHIFTS) {
      const all = withSpans(readSegments(db, transcriptId), spans);
      return replaceSegments(
        db,
        transcriptId,
        all.map((segment, id) => ({ ...segment, id })),
      );
    }
    const ids = readSegmentTexts(db, transcriptId).map(({ id }) => id);
    for (const { at, count, segments } of spans.toReversed()) {
      if (count === segments.length) {
        for (const [index, segment] of segments.entries()) {
          updateSegment(db, transcriptId, { ...segment, id: ids[at + index] ?? at + index });
        }
        continue;
      }
      const first = ids[at] ?? (ids.at(-1) ?? -1) + 1;
      for (const id of ids.slice(at, at + count)) deleteSegment(db, transcriptId, id);
      shiftIds(db, transcriptId, first, segments.length - count);
      insertSegments(
        db,
        transcriptId,
        0,
        segments.map((segment, index) => ({ ...segment, id: first + index })),
      );
    }
  });

const deleteSegment = (db: WritableDb, transcriptId: string, id: number): void => {
  const { from } = rangeOf(db, transcriptId);
  db.run(
    sql
      .deleteFrom('segments')
      .where('transcript_id', '=', transcriptId)
      .where('id', '=', from + id),
  );
};

/** A list with spans of it replaced. */
export const withSpans = <T>(
  list: readonly T[],
  spans: readonly { readonly at: number; readonly count: number; readonly segments: readonly T[] }[],
): T[] => {
  const parts: (readonly T[])[] = [];
  let from = 0;
  for (const { at, count, segments } of spans) {
    parts.push(list.slice(from, at), segments);
    from = at + count;
  }
  return [...parts, list.slice(from)].flatMap((part) => [...part]);
};

/** The spans that take back `spans`, by the segments that these replace. */
export const inverseSpans = (
  spans: readonly SegmentSpan[],
  replaced: readonly (readonly StoredSegment[])[],
): SegmentSpan[] => {
  let moved = 0;
  return spans.map(({ at, count, segments }, index) => {
    const span = { at: at + moved, count: segments.length, segments: replaced[index] ?? [] };
    moved += segments.length - count;
    return span;
  });
};

const isSame = ({ id: _a, ...a }: StoredSegment, { id: _b, ...b }: StoredSegment): boolean =>
  isDeepStrictEqual(a, b);

/** What leads from one list of segments to another: at most one span, from the first that differs to the last. */
export const differingSpan = (
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): SegmentSpan[] => {
  const same = (a: StoredSegment | undefined, b: StoredSegment | undefined) =>
    a !== undefined && b !== undefined && isSame(a, b);
  let at = 0;
  while (same(before[at], after[at])) at++;
  if (at === before.length && at === after.length) return [];
  let kept = 0;
  const most = Math.min(before.length, after.length) - at;
  while (kept < most && same(before.at(-1 - kept), after.at(-1 - kept))) kept++;
  const segments = after.slice(at, after.length - kept);
  return [{ at, count: before.length - kept - at, segments }];
};
