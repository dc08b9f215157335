import type { Entity } from '../../../contract/analysis.ts';
import {
  MAX_EDITED_CHARACTERS,
  MIN_WORD_SECONDS,
  type PatchTranscript,
  type SubtitleTimeEdit,
  type WordTimeEdit,
} from '../../../contract/transcript-edits.ts';
import { locateSegments } from '../../analysis/offsets.ts';
import { AppError } from '../../base/errors.ts';
import { createYielder, type YieldIfDue } from '../../base/event-loop.ts';
import { round, roundMs } from '../../base/numbers.ts';
import { type SpeakerOfWord, withWordSpeakers } from '../../pipeline/findings/speaker-words.ts';
import type { Transcript } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import {
  readSegment,
  type SegmentSpan,
  type SegmentText,
  type StoredSegment,
  type StoredWord,
} from '../../stores/segments.ts';

/** Most edits that are compared at once: bounds the memory (2 MB) and, with the number of words, the time. */
const MAX_EDITS = 1000;

/** A word of the first list, by index, that stays as a word of the second. */
export type WordPair = readonly [number, number];

type Point = { readonly x: number; readonly y: number };
type Lists = { readonly a: Int32Array; readonly b: Int32Array };

/** The comparison of the lists up to `end`, from a point that is `edits` edits away from it. */
type Comparison = Point & {
  readonly edits: number;
  /**
   * `reached[d][i]`: the smallest x on a diagonal from which at most `d` edits lead to `end`. The diagonal is numbered
   * `(end.x - x) - (end.y - y) = 2 * i - d`.
   */
  readonly reached: readonly Int32Array[];
};

const UNREACHED = 0x7fffffff;

/** Numbers words so that equal words get equal numbers: comparing numbers is cheaper than comparing strings. */
const numberWords = (words: readonly string[], numbers: Map<string, number>): Int32Array => {
  const numbered = new Int32Array(words.length);
  for (const [index, word] of words.entries()) {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    numbered[index] = number;
  }
  return numbered;
};

/** Row `edits` of `reached`: each diagonal continues from its neighbors in the row before, and then along equal words. */
const nextRow = ({ a, b }: Lists, end: Point, reached: readonly Int32Array[]): Int32Array => {
  const edits = reached.length;
  const one = reached.at(-1);
  const two = reached.at(-2);
  const row = new Int32Array(edits + 1);
  for (let i = 0; i <= edits; i++) {
    const offset = end.y - end.x + 2 * i - edits;
    const inserted = one?.[i] ?? UNREACHED;
    const deleted = one?.[i - 1] ?? UNREACHED;
    let x = edits === 0 ? end.x : (two?.[i - 1] ?? UNREACHED);
    if (inserted !== UNREACHED && inserted + offset >= 0) x = Math.min(x, inserted);
    if (deleted !== UNREACHED && deleted > 0) x = Math.min(x, deleted - 1);
    while (x !== UNREACHED && x > 0 && x + offset > 0 && a[x - 1] === b[x + offset - 1]) x--;
    row[i] = x;
  }
  return row;
};

/** Compares backwards from `end`, to the beginning of both lists or as far as `maxEdits` edits lead. */
const compare = async (
  lists: Lists,
  end: Point,
  maxEdits: number,
  yieldIfDue: YieldIfDue,
): Promise<Comparison> => {
  const reached: Int32Array[] = [];
  let furthest = { ...end, edits: 0 };
  for (let edits = 0; edits <= maxEdits && furthest.x + furthest.y > 0; edits++) {
    const row = nextRow(lists, end, reached);
    reached.push(row);
    for (let i = 0; i <= edits; i++) {
      const x = row[i] ?? UNREACHED;
      const y = end.y - end.x + x + 2 * i - edits;
      if (x !== UNREACHED && x + y < furthest.x + furthest.y) furthest = { x, y, edits };
    }
    await yieldIfDue();
  }
  return { ...furthest, reached };
};

/** The words that stay between a comparison's point and `end`; of several ways the one that deletes first. */
const pairsOf = ({ a, b }: Lists, end: Point, { reached, ...start }: Comparison): WordPair[] => {
  const pairs: WordPair[] = [];
  let { x, y, edits } = start;
  while (x < end.x || y < end.y) {
    if (x < end.x && y < end.y && a[x] === b[y]) {
      pairs.push([x++, y++]);
      continue;
    }
    edits--;
    const diagonal = end.x - (x + 1) - (end.y - y);
    const limit = x < end.x ? reached[edits]?.[(diagonal + edits) / 2] : undefined;
    if (limit !== undefined && x + 1 >= limit) x++;
    else y++;
  }
  return pairs;
};

/**
 * A longest common subsequence of two lists of words, as pairs of indices in ascending order. Beyond `maxEdits`
 * edits the lists are compared window by window from their ends, which may find fewer pairs. Takes
 * O((n + m) * maxEdits) time and O(n + m + maxEdits ** 2) memory, and yields to the event loop.
 *
 * Myers, "An O(ND) Difference Algorithm and Its Variations" (Algorithmica 1, 1986), the greedy algorithm of section 4;
 * the limit follows libxdiff (git/xdiff/xdiffi.c, `xdl_split`), which continues from the furthest point as well.
 */
export const commonWords = async (
  before: readonly string[],
  after: readonly string[],
  { maxEdits = MAX_EDITS, yieldIfDue = createYielder() }: { maxEdits?: number; yieldIfDue?: YieldIfDue } = {},
): Promise<WordPair[]> => {
  const numbers = new Map<string, number>();
  const a = numberWords(before, numbers);
  const lists = { a, b: numberWords(after, numbers) };
  const windows: WordPair[][] = [];
  for (let end: Point = { x: before.length, y: after.length }; end.x > 0 && end.y > 0; ) {
    const comparison = await compare(lists, end, maxEdits, yieldIfDue);
    windows.push(pairsOf(lists, end, comparison));
    end = comparison;
  }
  return windows.reverse().flat();
};

/** A text and those of its segments, in order. */
type SegmentedText = {
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

const splitWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Shares the time from `start` to `end` (seconds) out among words written by a person, in proportion to their lengths. */
const spread = (
  words: readonly string[],
  start: number,
  end: number,
  speaker: Pick<StoredWord, 'speaker_id' | 'speakerGiven'>,
): StoredWord[] => {
  const total = words.reduce((sum, word) => sum + word.length, 0);
  let passed = 0;
  return words.map((word) => {
    const from = start + ((end - start) * passed) / total;
    passed += word.length;
    const to = start + ((end - start) * passed) / total;
    return { word, start: round(from, 3), end: round(to, 3), confidence: 1, ...speaker };
  });
};

/** Words that a person adds before the first word of a paragraph begin it instead. */
const withSameBeginning = (before: readonly StoredWord[], after: StoredWord[]): StoredWord[] => {
  const flag = before[0]?.startsParagraph;
  const [first] = after;
  if (flag === undefined || first === undefined || first.startsParagraph !== undefined) return after;
  const moved = after.map((word) => {
    if (word.start !== before[0]?.start || word.word !== before[0].word) return word;
    const { startsParagraph: _, ...rest } = word;
    return rest;
  });
  return [{ ...first, startsParagraph: flag }, ...moved.slice(1)];
};

/** Breaks and borders of subtitles stay where they were if the words beside them are rewritten. */
const withBordersOf = (replaced: readonly StoredWord[], words: StoredWord[]): StoredWord[] => {
  const starts = replaced.find((word) => word.startsParagraph !== undefined)?.startsParagraph;
  const subtitleStart = replaced[0]?.subtitleStart;
  const subtitleEnd = replaced.at(-1)?.subtitleEnd;
  return words.map((word, index) => ({
    ...word,
    ...(index === 0 && starts !== undefined ? { startsParagraph: starts } : {}),
    ...(index === 0 && subtitleStart !== undefined ? { subtitleStart } : {}),
    ...(index === words.length - 1 && subtitleEnd !== undefined ? { subtitleEnd } : {}),
  }));
};

const withoutAlternatives = ({ alternatives: _, ...word }: StoredWord): StoredWord => word;

/** A person who changes the words beside a word has decided on its other readings, too, which may contain those words. */
const answerAlternatives = (words: StoredWord[], added: number): void => {
  const before = words.length - added - 1;
  const word = words[before];
  if (word !== undefined) words[before] = withoutAlternatives(word);
};

/**
 * Replaces a segment's text by a person's correction. Words that stay keep their times and confidence; new words take
 * the time of those that they replace, with confidence 1.
 */
export const withText = async (segment: StoredSegment, text: string): Promise<StoredSegment> => {
  const trimmed = text.trim();
  const after = splitWords(trimmed);
  const before = segment.words.map((word) => word.word.trim());
  const words: StoredWord[] = [];
  let i = 0;
  let j = 0;
  const pairs = await commonWords(before, after);
  for (const [keptBefore, keptAfter] of [...pairs, [before.length, after.length] as const]) {
    const added = after.slice(j, keptAfter);
    if (added.length > 0) {
      const start = segment.words[i]?.start ?? words.at(-1)?.end ?? segment.start;
      const replaced = keptBefore > i ? segment.words[keptBefore - 1]?.end : segment.words[keptBefore]?.start;
      const end = Math.max(start, replaced ?? segment.end);
      const { speaker_id = null, speakerGiven } = segment.words[i] ?? segment.words.at(-1) ?? {};
      const speaker = {
        speaker_id: speaker_id ?? segment.speaker_id,
        ...(speakerGiven === undefined ? {} : { speakerGiven }),
      };
      const fresh = spread(added, start, end, speaker);
      words.push(...withBordersOf(segment.words.slice(i, keptBefore), fresh));
    }
    const kept = segment.words[keptBefore];
    const isBesideChange = added.length > 0 || keptBefore > i;
    if (isBesideChange) answerAlternatives(words, added.length);
    if (kept !== undefined) words.push(isBesideChange ? withoutAlternatives(kept) : kept);
    i = keptBefore + 1;
    j = keptAfter + 1;
  }
  return { ...segment, text: trimmed, words: withSameBeginning(segment.words, words) };
};

/** Begins paragraphs at exactly these words, from 0, and continues the paragraph before elsewhere; null decides nothing. */
const withParagraphs = (segment: StoredSegment, starts: readonly number[] | null): StoredSegment => {
  const wanted = new Set(starts);
  return {
    ...segment,
    words: segment.words.map(({ startsParagraph: _, ...word }, index) => ({
      ...word,
      // Of the first word also "no" is stored, since speakers and pauses would decide otherwise.
      ...(starts !== null && (index === 0 || wanted.has(index))
        ? { startsParagraph: wanted.has(index) }
        : {}),
    })),
  };
};

/** What a request says about the times of one segment's words. */
type TimeEdit = {
  readonly id: number;
  readonly times?: readonly WordTimeEdit[] | undefined;
  readonly subtitle_times?: readonly SubtitleTimeEdit[] | undefined;
};

/** A word by the places of its segment and within it. */
type Place = { readonly at: number; readonly word: number };
type Border = 'start' | 'end';
type Given = Place & { readonly border: Border; readonly path: string };

/** The segments around an edit. A segment that is not read yet is read when it is asked for. */
type SegmentSource = {
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

/** Throws `conflict` if a word no longer has the times that the edit replaces. */
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
const withTimes = (source: SegmentSource, edits: readonly TimeEdit[]): Map<number, StoredSegment> => {
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

export type SegmentEdit = NonNullable<PatchTranscript['segments']>[number];

/** Segments that stand in the place of others, which are kept to undo that. */
export type Replacement = { readonly span: SegmentSpan; readonly replaced: readonly StoredSegment[] };

const staleMessage = (
  now: SegmentText | undefined,
  { id, text, was, speaker_id, was_speaker_id: wasSpeaker }: SegmentEdit,
): string | undefined => {
  const current = now?.text.trim();
  if (was !== undefined && current !== was.trim() && current !== text?.trim()) {
    return `segment ${id} has another text now`;
  }
  const speaker = now?.speaker_id ?? null;
  if (wasSpeaker !== undefined && speaker !== wasSpeaker && speaker !== speaker_id) {
    return `segment ${id} has another speaker now`;
  }
  return undefined;
};

/** Throws `conflict` if a segment no longer has the text or the speaker that the edit replaces. */
const refuseStale = (segments: readonly SegmentText[], edits: readonly SegmentEdit[]): void => {
  const details = edits.flatMap((edit) => {
    const message = staleMessage(segments[edit.id], edit);
    return message === undefined ? [] : [{ path: `segments.${edit.id}`, message }];
  });
  if (details.length === 0) return;
  throw new AppError('conflict', 'The transcript was changed elsewhere in the meantime.', { details });
};

/** All words of an edited segment are written anew, in one transaction with the others. */
const refuseTooMuch = (segments: readonly SegmentText[], edits: readonly SegmentEdit[]): void => {
  const lengths = new Map<number, number>();
  for (const { id, text = '' } of edits) {
    lengths.set(id, Math.max(text.length, segments[id]?.text.length ?? 0, lengths.get(id) ?? 0));
  }
  const characters = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  if (lengths.size < 2 || characters <= MAX_EDITED_CHARACTERS) return;
  throw new AppError(
    'invalid_request',
    `The edited segments have ${characters} characters; one request may edit ${MAX_EDITED_CHARACTERS}. Send them in several requests.`,
    { details: [{ path: 'segments', message: `have more than ${MAX_EDITED_CHARACTERS} characters` }] },
  );
};

const refuseUnknownSegment = (segments: readonly SegmentText[], ids: Iterable<number>): void => {
  for (const id of ids) {
    if (segments[id] !== undefined) continue;
    throw new AppError('invalid_request', `There is no segment ${id}.`, {
      details: [{ path: 'segments', message: `there is no segment ${id}` }],
    });
  }
};

/** Throws `invalid_request` if the transcript has no speaker of this label. */
export const refuseUnknownSpeaker = (
  { analysis }: Pick<Transcript, 'analysis'>,
  label: string,
  path: string,
): void => {
  if (analysis.speakers?.[label] !== undefined) return;
  throw new AppError('invalid_request', `There is no speaker ${label}.`, {
    details: [{ path, message: 'is not a speaker of this transcription' }],
  });
};

const refuseUnknownWords = ({ id, words }: SegmentEdit, segment: StoredSegment): void => {
  if (words === undefined || words[1] < segment.words.length) return;
  throw new AppError('invalid_request', `Segment ${id} has no word ${words[1]}.`, {
    details: [{ path: `segments.${id}.words`, message: `segment ${id} has ${segment.words.length} words` }],
  });
};

const speakerOfWord = (edits: readonly SegmentEdit[]): SpeakerOfWord | undefined => {
  const given = edits.filter((edit) => edit.speaker_id !== undefined);
  if (given.length === 0) return undefined;
  return (index) =>
    given.findLast(({ words }) => words === undefined || (words[0] <= index && index <= words[1]))
      ?.speaker_id;
};

/** The transcribed range of the recording's timeline, in seconds. */
const rangeOf = ({ audioStartFrom, duration }: Transcript): { start: number; end: number } => {
  const start = audioStartFrom ?? 0;
  return { start, end: duration > 0 ? start + duration : Number.POSITIVE_INFINITY };
};

const withTextEdits = async (
  segment: StoredSegment,
  edits: readonly SegmentEdit[],
): Promise<StoredSegment> => {
  const text = edits.findLast((edit) => edit.text !== undefined)?.text;
  const starts = edits.findLast((edit) => edit.paragraph_starts !== undefined)?.paragraph_starts;
  const corrected =
    text === undefined || text.trim() === segment.text.trim() ? segment : await withText(segment, text);
  return starts === undefined ? corrected : withParagraphs(corrected, starts);
};

const withSpeakerEdits = (segment: StoredSegment, edits: readonly SegmentEdit[]): StoredSegment[] => {
  const speakerOf = speakerOfWord(edits);
  if (speakerOf === undefined) return [segment];
  for (const edit of edits) refuseUnknownWords(edit, segment);
  return withWordSpeakers(segment, speakerOf);
};

export const isTimeEdit = ({ times, subtitle_times: subtitles }: SegmentEdit): boolean =>
  times !== undefined || subtitles !== undefined;

/** Reads segments by place, each once. */
const createReader = (db: ReadableDb, id: string, segments: readonly SegmentText[]) => {
  const known = new Map<number, StoredSegment | undefined>();
  return (at: number): StoredSegment | undefined => {
    const place = segments[at];
    if (!known.has(at)) known.set(at, place && readSegment(db, id, place.id));
    return known.get(at);
  };
};

/** The segments that the edits of a request change, in order. Throws `conflict` and `invalid_request`. */
export const editSegments = async (
  db: ReadableDb,
  transcript: Transcript,
  segments: readonly SegmentText[],
  edits: readonly SegmentEdit[],
): Promise<Replacement[]> => {
  refuseUnknownSegment(
    segments,
    edits.map(({ id }) => id),
  );
  for (const { id, speaker_id } of edits) {
    if (speaker_id !== undefined) refuseUnknownSpeaker(transcript, speaker_id, `segments.${id}.speaker_id`);
  }
  refuseStale(segments, edits);
  refuseTooMuch(segments, edits);
  const stored = createReader(db, transcript.id, segments);
  const edited = new Map<number, StoredSegment>();
  const byPlace = Map.groupBy(edits, ({ id }) => id);
  for (const [at, own] of byPlace) {
    const before = stored(at);
    if (before !== undefined) edited.set(at, await withTextEdits(before, own));
  }
  const retimed = edits.filter(isTimeEdit);
  if (retimed.length > 0) {
    const read = (at: number) => edited.get(at) ?? stored(at);
    const changed = withTimes({ read, range: rangeOf(transcript) }, retimed);
    refuseTooMuch(
      segments,
      [...changed.keys()].filter((at) => !byPlace.has(at)).map((id) => ({ id })),
    );
    for (const [at, segment] of changed) edited.set(at, segment);
  }
  return [...edited]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, segment]) => {
      const before = stored(at);
      const after = withSpeakerEdits(segment, byPlace.get(at) ?? []);
      return before === undefined ? [] : [{ span: { at, count: 1, segments: after }, replaced: [before] }];
    });
};
