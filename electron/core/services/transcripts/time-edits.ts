import { MIN_WORD_SECONDS } from '../../../contract/edit-bounds.ts';
import type { SubtitleTimeEdit, WordTimeEdit } from '../../../contract/transcript-edits.ts';
import { AppError } from '../../base/errors.ts';
import { roundMs } from '../../base/numbers.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';

/** What a request says about the times of one segment's words. */
export type TimeEdit = {
  readonly id: number;
  readonly times?: readonly WordTimeEdit[] | undefined;
  readonly subtitle_times?: readonly SubtitleTimeEdit[] | undefined;
};

/** A word by the places of its segment and within it. */
type Place = { readonly at: number; readonly word: number };
type Border = 'start' | 'end';
type Given = Place & { readonly border: Border; readonly path: string };

/** The segments around an edit. A segment that is not read yet is read when it is asked for. */
export type SegmentSource = {
  readonly read: (at: number) => StoredSegment | undefined;
  /** The transcribed range, in seconds. */
  readonly range: { readonly start: number; readonly end: number };
};

/** A segment of the same channel farther away than this lets a border pass. */
const MAX_DISTANCE = 64;
/** Times are whole milliseconds. */
const EPSILON = 0.0005;

const isSame = (a: number | null | undefined, b: number | null | undefined): boolean =>
  (a ?? null) === (b ?? null) ||
  (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < EPSILON);

const invalid = (path: string, message: string) =>
  new AppError('invalid_request', `The times do not fit: ${message}.`, { details: [{ path, message }] });

const seconds = (value: number): string => `${roundMs(value)} s`;

/** Segments whose times are being changed; those that were read stay as they are. */
class Timeline {
  readonly changed = new Map<number, StoredSegment>();
  readonly #source: SegmentSource;
  /** Borders that the request names: these do not make way. */
  readonly #given = new Set<string>();

  constructor(source: SegmentSource) {
    this.#source = source;
  }

  get range() {
    return this.#source.range;
  }

  segment(at: number): StoredSegment | undefined {
    return this.changed.get(at) ?? this.#source.read(at);
  }

  word({ at, word }: Place): StoredWord | undefined {
    return this.segment(at)?.words[word];
  }

  replace({ at, word: index }: Place, change: (word: StoredWord) => StoredWord): void {
    const before = this.segment(at);
    const word = before?.words[index];
    if (before === undefined || word === undefined) return;
    // Copied once: a segment may have 50,000 words.
    const segment = this.changed.get(at) ?? { ...before, words: [...before.words] };
    segment.words[index] = change(word);
    this.changed.set(at, segment);
  }

  give({ at, word, border }: Given): void {
    this.#given.add(`${at}:${word}:${border}`);
  }

  isGiven({ at, word }: Place, border: Border): boolean {
    return this.#given.has(`${at}:${word}:${border}`);
  }

  /** The word before or after, of the same channel unless `anyChannel`. */
  neighbor({ at, word }: Place, by: 1 | -1, anyChannel = false): Place | undefined {
    const own = this.segment(at);
    if (own === undefined) return undefined;
    if (own.words[word + by] !== undefined) return { at, word: word + by };
    for (let step = 1; step <= MAX_DISTANCE; step++) {
      const place = at + by * step;
      const other = this.segment(place);
      if (other === undefined) return undefined;
      if (other.words.length === 0 || (!anyChannel && other.channel !== own.channel)) continue;
      return { at: place, word: by === 1 ? 0 : other.words.length - 1 };
    }
    return undefined;
  }
}

const nameOf = (word: StoredWord | undefined): string => `“${word?.word.trim() ?? ''}”`;

/** Throws `conflict` where a word no longer has the times that the edit replaces. */
const refuseStaleTimes = (timeline: Timeline, edits: readonly TimeEdit[]): void => {
  const details = edits.flatMap(({ id, times = [], subtitle_times: subtitles = [] }) => [
    ...times.flatMap(({ word, start, end, was_start: wasStart, was_end: wasEnd }) => {
      const now = timeline.word({ at: id, word });
      const isStale =
        (wasStart !== undefined && !isSame(now?.start, wasStart) && !isSame(now?.start, start)) ||
        (wasEnd !== undefined && !isSame(now?.end, wasEnd) && !isSame(now?.end, end));
      const message = `word ${word} of segment ${id} has other times now`;
      return isStale ? [{ path: `segments.${id}.times.${word}`, message }] : [];
    }),
    ...subtitles.flatMap(({ word, start, end, was_start: wasStart, was_end: wasEnd }) => {
      const now = timeline.word({ at: id, word });
      const isStale =
        (wasStart !== undefined &&
          !isSame(now?.subtitleStart, wasStart) &&
          !isSame(now?.subtitleStart, start)) ||
        (wasEnd !== undefined && !isSame(now?.subtitleEnd, wasEnd) && !isSame(now?.subtitleEnd, end));
      const message = `the subtitle at word ${word} of segment ${id} has other times now`;
      return isStale ? [{ path: `segments.${id}.subtitle_times.${word}`, message }] : [];
    }),
  ]);
  if (details.length === 0) return;
  throw new AppError('conflict', 'The transcript was changed elsewhere in the meantime.', { details });
};

const refuseUnknownWord = (timeline: Timeline, place: Place, path: string): void => {
  if (timeline.word(place) !== undefined) return;
  const count = timeline.segment(place.at)?.words.length ?? 0;
  throw new AppError('invalid_request', `Segment ${place.at} has no word ${place.word}.`, {
    details: [{ path, message: `segment ${place.at} has ${count} words` }],
  });
};

/** Sets the borders of the request; returns those that move. */
const setBorders = (timeline: Timeline, edits: readonly TimeEdit[]): Given[] =>
  edits.flatMap(({ id, times = [] }) =>
    times.flatMap(({ word, ...borders }) => {
      const place = { at: id, word };
      const path = `segments.${id}.times.${word}`;
      refuseUnknownWord(timeline, place, path);
      const moved: Given[] = [];
      for (const border of ['start', 'end'] as const) {
        const value = borders[border];
        if (value === undefined || isSame(timeline.word(place)?.[border], value)) continue;
        const given = { ...place, border, path };
        timeline.replace(place, (each) => ({ ...each, [border]: roundMs(value) }));
        timeline.give(given);
        moved.push(given);
      }
      return moved;
    }),
  );

/** Moves the border of a neighbor along that a moved border crosses. Returns the neighbor if it did. */
const moveNeighbor = (timeline: Timeline, given: Given): Place | undefined => {
  const { border, path } = given;
  const own = timeline.word(given);
  const place = timeline.neighbor(given, border === 'start' ? -1 : 1);
  const neighbor = place && timeline.word(place);
  if (own === undefined || place === undefined || neighbor === undefined) return undefined;
  const facing: Border = border === 'start' ? 'end' : 'start';
  const isCrossed = border === 'start' ? neighbor.end > own.start : neighbor.start < own.end;
  if (!isCrossed) return undefined;
  if (timeline.isGiven(place, facing))
    throw invalid(path, `${nameOf(own)} and ${nameOf(neighbor)} would overlap`);
  const length = border === 'start' ? own.start - neighbor.start : neighbor.end - own.end;
  if (length < MIN_WORD_SECONDS - EPSILON) {
    const bound =
      border === 'start'
        ? `cannot begin before ${seconds(neighbor.start + MIN_WORD_SECONDS)}, because ${nameOf(neighbor)} comes before it`
        : `cannot end after ${seconds(neighbor.end - MIN_WORD_SECONDS)}, because ${nameOf(neighbor)} follows`;
    throw invalid(path, `${nameOf(own)} ${bound}`);
  }
  timeline.replace(place, (each) => ({ ...each, [facing]: own[border] }));
  return place;
};

const refuseOutside = (timeline: Timeline, given: Given): void => {
  const own = timeline.word(given);
  if (own === undefined) return;
  const { start, end } = timeline.range;
  if (own.start < start - EPSILON || own.end > end + EPSILON)
    throw invalid(given.path, `the recording lasts from ${seconds(start)} to ${seconds(end)}`);
  if (own.end - own.start < MIN_WORD_SECONDS - EPSILON)
    throw invalid(given.path, `${nameOf(own)} has to last at least 10 ms`);
};

/** A segment begins with its first word and ends with its last, as far as these moved. */
const moveSegments = (timeline: Timeline, { read }: SegmentSource): void => {
  for (const [at, now] of timeline.changed) {
    const old = read(at)?.words;
    const [first, last] = [now.words[0], now.words.at(-1)];
    if (first !== undefined && first.start !== old?.[0]?.start) now.start = first.start;
    if (last !== undefined && last.end !== old?.at(-1)?.end) now.end = last.end;
  }
};

/** Segments stay in the order in which they begin, also those of different channels. */
const refuseOtherOrder = (timeline: Timeline, { read }: SegmentSource): void => {
  for (const at of timeline.changed.keys()) {
    for (const [first, second] of [
      [at - 1, at],
      [at, at + 1],
    ] as const) {
      const starts = [timeline.segment(first)?.start, timeline.segment(second)?.start] as const;
      const before = [read(first)?.start, read(second)?.start] as const;
      const isTurned = ([a, b]: readonly [number | undefined, number | undefined]) => (a ?? 0) > (b ?? 0);
      if (starts[1] === undefined || !isTurned(starts) || isTurned(before)) continue;
      throw invalid(`segments.${at}`, `segment ${second} would begin before segment ${first}`);
    }
  }
};

type SubtitleBorder = { readonly place: Place; readonly border: Border; readonly path: string };

/** Sets the borders of subtitles; returns those that are set. */
const setSubtitles = (timeline: Timeline, edits: readonly TimeEdit[]): SubtitleBorder[] =>
  edits.flatMap(({ id, subtitle_times: subtitles = [] }) =>
    subtitles.flatMap(({ word, ...borders }) => {
      const place = { at: id, word };
      const path = `segments.${id}.subtitle_times.${word}`;
      refuseUnknownWord(timeline, place, path);
      const set: SubtitleBorder[] = [];
      for (const border of ['start', 'end'] as const) {
        const value = borders[border];
        const key = border === 'start' ? 'subtitleStart' : 'subtitleEnd';
        if (value === undefined || isSame(timeline.word(place)?.[key], value)) continue;
        timeline.replace(place, ({ [key]: _, ...rest }) =>
          value === null ? rest : { ...rest, [key]: roundMs(value) },
        );
        if (value !== null) set.push({ place, border, path });
      }
      return set;
    }),
  );

/** A subtitle shows while its words are said, and does not overlap with its neighbors in any layout. */
const refuseMisplaced = (timeline: Timeline, { place, border, path }: SubtitleBorder): void => {
  const own = timeline.word(place);
  if (own === undefined) return;
  const { range } = timeline;
  const neighbor = timeline.neighbor(place, border === 'start' ? -1 : 1, true);
  const other = neighbor && timeline.word(neighbor);
  const [value, low, high] =
    border === 'start'
      ? [
          own.subtitleStart ?? own.start,
          Math.max(range.start, other?.subtitleEnd ?? (other?.start ?? -1) + MIN_WORD_SECONDS),
          Math.min(own.end, own.subtitleEnd ?? range.end) - MIN_WORD_SECONDS,
        ]
      : [
          own.subtitleEnd ?? own.end,
          Math.max(own.start, own.subtitleStart ?? 0) + MIN_WORD_SECONDS,
          Math.min(range.end, other?.subtitleStart ?? other?.start ?? range.end),
        ];
  if (value >= low - EPSILON && value <= high + EPSILON) return;
  const what = border === 'start' ? 'begins with' : 'ends with';
  throw invalid(
    path,
    `a subtitle that ${what} ${nameOf(own)} can do so from ${seconds(low)} to ${seconds(high)}`,
  );
};

/**
 * The segments that the times of a request change, by place. A border that crosses the neighboring word's moves that one
 * along, also into the next segment. Throws `conflict` and `invalid_request`.
 */
export const withTimes = (source: SegmentSource, edits: readonly TimeEdit[]): Map<number, StoredSegment> => {
  const timeline = new Timeline(source);
  refuseStaleTimes(timeline, edits);
  const given = setBorders(timeline, edits);
  for (const border of given) refuseOutside(timeline, border);
  for (const border of given) moveNeighbor(timeline, border);
  moveSegments(timeline, source);
  refuseOtherOrder(timeline, source);
  for (const border of setSubtitles(timeline, edits)) refuseMisplaced(timeline, border);
  return timeline.changed;
};
