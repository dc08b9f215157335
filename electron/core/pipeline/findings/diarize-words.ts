import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Speaker, Transcription } from '../../../contract/transcript.ts';
import { round, roundMs } from '../../base/numbers.ts';
import { defaultName, isNamed, labelAt, nextLabel } from '../../base/speaker-names.ts';
import { joinTexts } from '../../base/text.ts';
import type { SpeakerTurn } from '../../engines/diarizer/tasks.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';
import type { Recording } from '../source/recording.ts';
import { withMovedTalk, withWordSpeakers } from './speaker-words.ts';

/** Turns farther than this from a segment are ignored, unless there are no others; seconds. */
const REACH = 30;

/** The first index of a list of `count` for which `isReached` holds; it holds for all that follow. */
const firstIndex = (count: number, isReached: (index: number) => boolean): number => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Finds turns by time without looking at all of them: ten hours have thousands. */
export class TurnsByTime {
  readonly #turns: readonly SpeakerTurn[];
  /** Of each turn and those before it, the one that ends last. */
  readonly #latest: readonly SpeakerTurn[];

  constructor(turns: readonly SpeakerTurn[]) {
    this.#turns = turns.toSorted((a, b) => a.start - b.start);
    let latest: SpeakerTurn | undefined;
    this.#latest = this.#turns.map((turn) => {
      if (latest === undefined || turn.end > latest.end) latest = turn;
      return latest;
    });
  }

  /** The turns within reach, by their starts; without any, the nearest on both sides. */
  near({ start, end }: Pick<SpeakerTurn, 'start' | 'end'>): readonly SpeakerTurn[] {
    const to = firstIndex(this.#turns.length, (index) => (this.#turns[index]?.start ?? 0) >= end + REACH);
    const from = firstIndex(to, (index) => (this.#latest[index]?.end ?? 0) > start - REACH);
    const close = this.#turns.slice(from, to).filter((turn) => turn.end > start - REACH);
    if (close.length > 0) return close;
    return [this.#latest[to - 1], this.#turns[to]].filter((turn) => turn !== undefined);
  }
}

/** The recording from a second of the transcript's timeline on. */
export const recordingFrom = (recording: Recording, from: number): Recording => {
  const { range, shift } = recording;
  return {
    ...recording,
    range: { start: Math.max(range?.start ?? 0, from - shift), end: range?.end ?? null },
  };
};

/**
 * Assigns speakers to what begins at `from` or later. Each keeps the label of the earlier speaker with whom most words are
 * shared; others are new. What was said before stays as it is.
 */
export const withSpeakersFrom = async (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  from: number,
  turns: readonly SpeakerTurn[],
): Promise<{ segments: StoredSegment[]; speakers: Speakers }> => {
  const kept = before.segments.filter(({ start }) => start < from);
  const part = before.segments.filter(({ start }) => start >= from);
  const known = before.speakers ?? {};
  const split = withSpeakers(part, turns);
  // Between steps that take up to 0.3 s with ten hours of speech, other requests get their turn.
  await nextTurn();
  const found = withEarlierEdits({ segments: part, speakers: known }, split);
  await nextTurn();
  const labels = new Map(
    [...pairSpeakers(Object.keys(known), part, found.segments)].map(([old, now]) => [now, old]),
  );
  const speakers: Record<string, Speakers[string]> = { ...known };
  for (const label of Object.keys(found.speakers)) {
    if (labels.has(label)) continue;
    const added = nextLabel(Object.keys(speakers));
    labels.set(label, added);
    speakers[added] = { name: defaultName(added), talk_seconds: 0, share: 0 };
  }
  const relabel = (label: string | null) => (label === null ? null : (labels.get(label) ?? label));
  const again: StoredSegment[] = [];
  for (const segment of found.segments) {
    again.push({
      ...segment,
      speaker_id: relabel(segment.speaker_id),
      words: segment.words.map((word) => ({ ...word, speaker_id: relabel(word.speaker_id) })),
    });
  }
  const segments = [...kept, ...again].map((segment, id) => ({ ...segment, id }));
  return { segments, speakers: withMovedTalk(speakers, before.segments, segments) };
};

type Diarized = { readonly segments: readonly StoredSegment[]; readonly speakers: Speakers };

/** Seconds by `old label|new label`. */
type Shared = Map<string, number>;

/** The old label of a word, and whether a person gave it. */
type Earlier = { readonly label: string | null; readonly isGiven: boolean };

/** What words have in both diarizations, by their start. */
const labelsByStart = (segments: readonly StoredSegment[]): ReadonlyMap<number, Earlier> => {
  const labels = new Map<number, Earlier>();
  for (const segment of segments) {
    for (const { start, speaker_id, speakerGiven = false } of segment.words) {
      labels.set(start, { label: speaker_id ?? segment.speaker_id, isGiven: speakerGiven });
    }
  }
  return labels;
};

const sharedSeconds = (
  earlier: ReadonlyMap<number, Earlier>,
  after: readonly StoredSegment[],
): { machine: Shared; given: Shared } => {
  const shared = { machine: new Map<string, number>(), given: new Map<string, number>() };
  for (const segment of after) {
    for (const { start, end, speaker_id } of segment.words) {
      const before = earlier.get(start);
      const now = speaker_id ?? segment.speaker_id;
      if (before?.label == null || now === null) continue;
      const pair = `${before.label}|${now}`;
      const of = before.isGiven ? shared.given : shared.machine;
      of.set(pair, (of.get(pair) ?? 0) + end - start);
    }
  }
  return shared;
};

/** Pairs each old label with the new one that shares most with it; each new label is taken once. */
const pairLabels = (old: readonly string[], shared: readonly Shared[]): Map<string, string> => {
  const paired = new Map<string, string>();
  const taken = new Set<string>();
  // First by the words that the diarization decided in both cases, then by those that a person gave.
  for (const seconds of shared) {
    for (const [pair] of [...seconds].toSorted(([, a], [, b]) => b - a)) {
      const [before = '', now = ''] = pair.split('|');
      if (!old.includes(before) || paired.has(before) || taken.has(now)) continue;
      paired.set(before, now);
      taken.add(now);
    }
  }
  return paired;
};

/** Pairs old labels with those of a new diarization of the same words. */
const pairSpeakers = (
  old: readonly string[],
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): Map<string, string> => {
  const { machine, given } = sharedSeconds(labelsByStart(before), after);
  return pairLabels(old, [given, machine]);
};

/**
 * Keeps what people decided about who speaks: the words that they gave to a speaker stay with the one who takes that
 * speaker's place in a new diarization, or with a speaker of their own if no one does.
 */
export const withEarlierEdits = (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  after: Diarized,
): { segments: StoredSegment[]; speakers: Speakers } => {
  const earlier = labelsByStart(before.segments);
  const given = [...new Set([...earlier.values()].flatMap(({ label, isGiven }) => (isGiven && label) || []))];
  if (given.length === 0) return { segments: [...after.segments], speakers: after.speakers };
  const { machine, given: byPerson } = sharedSeconds(earlier, after.segments);
  const labels = [...new Set([...Object.keys(before.speakers ?? {}), ...given])];
  const paired = pairLabels(labels, [machine, byPerson]);
  const speakers: Record<string, Speakers[string]> = { ...after.speakers };
  for (const label of given) {
    if (paired.has(label)) continue;
    const added = nextLabel(Object.keys(speakers));
    paired.set(label, added);
    speakers[added] = { name: defaultName(added), talk_seconds: 0, share: 0 };
  }
  const segments: StoredSegment[] = [];
  for (const segment of after.segments) {
    const speakerOf = (index: number) => {
      const known = earlier.get(segment.words[index]?.start ?? Number.NaN);
      return known?.isGiven === true && known.label !== null ? paired.get(known.label) : undefined;
    };
    segments.push(...withWordSpeakers(segment, speakerOf));
  }
  const heard = new Set(segments.map(({ speaker_id }) => speaker_id));
  const talk = withMovedTalk(speakers, after.segments, segments);
  return {
    segments: segments.map((segment, id) => ({ ...segment, id })),
    speakers: Object.fromEntries(Object.entries(talk).filter(([label]) => heard.has(label))),
  };
};

export type Speakers = Readonly<Record<string, Speaker>>;

/** The speakers under their default names. */
export const withoutNames = (speakers: Speakers): Record<string, Speaker> =>
  Object.fromEntries(
    Object.entries(speakers).map(([label, speaker]) => [label, { ...speaker, name: defaultName(label) }]),
  );

/** The least share of a speaker's words that a new speaker must say to inherit the name. */
const MIN_SHARED = 0.5;

const labelOf = (segment: StoredSegment, { speaker_id }: StoredWord): string | null =>
  speaker_id ?? segment.speaker_id;

/** `shared`: `old label|new label` → seconds of words that both say; `total`: seconds of each old label. */
const sharedSecondsOfLabels = (before: readonly StoredSegment[], after: readonly StoredSegment[]) => {
  const later = new Map<number, string | null>();
  for (const segment of after) {
    for (const word of segment.words) later.set(word.start, labelOf(segment, word));
  }
  const shared = new Map<string, number>();
  const total = new Map<string, number>();
  for (const segment of before) {
    for (const word of segment.words) {
      const [speaker, now] = [labelOf(segment, word), later.get(word.start)];
      if (speaker === null || now === null || now === undefined) continue;
      const seconds = word.end - word.start;
      total.set(speaker, (total.get(speaker) ?? 0) + seconds);
      const pair = `${speaker}|${now}`;
      shared.set(pair, (shared.get(pair) ?? 0) + seconds);
    }
  }
  return { shared, total };
};

/**
 * Carries the names and colors that people gave over to the speakers of a new diarization: each to the speaker who now says most
 * of the words. `dropped` are the earlier labels whose names no speaker inherits.
 */
export const withEarlierNames = (
  before: { readonly segments: readonly StoredSegment[]; readonly speakers?: Speakers | undefined },
  after: { readonly segments: readonly StoredSegment[]; readonly speakers: Speakers },
): { speakers: Record<string, Speaker>; dropped: string[] } => {
  const speakers: Record<string, Speaker> = { ...after.speakers };
  const { shared, total } = sharedSecondsOfLabels(before.segments, after.segments);
  const known = Object.entries(before.speakers ?? {});
  const named = known.filter(([label, speaker]) => isNamed(label, speaker));
  const pairs = known
    .filter(([label, speaker]) => isNamed(label, speaker) || speaker.color !== undefined)
    .flatMap(([old, { name, color }]) =>
      Object.keys(speakers).map((label) => ({
        old,
        given: {
          ...(isNamed(old, { name }) ? { name } : {}),
          ...(color === undefined ? {} : { color }),
        },
        label,
        seconds: shared.get(`${old}|${label}`) ?? 0,
      })),
    )
    .filter(({ old, seconds }) => seconds > 0 && seconds >= MIN_SHARED * (total.get(old) ?? 0))
    .toSorted((a, b) => b.seconds - a.seconds);
  const placed = new Set<string>();
  const taken = new Set<string>();
  for (const { old, given, label } of pairs) {
    const speaker = speakers[label];
    if (placed.has(old) || taken.has(label) || speaker === undefined) continue;
    speakers[label] = { ...speaker, ...given };
    placed.add(old);
    taken.add(label);
  }
  return { speakers, dropped: named.map(([label]) => label).filter((label) => !placed.has(label)) };
};

/** A shorter change of speaker inside a segment is an inexact word time; seconds. */
const MIN_RUN_SECONDS = 0.6;

/** Consecutive words of one speaker. */
type Run = { speaker: number; words: StoredWord[] };

const overlap = (word: Pick<StoredWord, 'start' | 'end'>, turn: SpeakerTurn): number =>
  Math.min(word.end, turn.end) - Math.max(word.start, turn.start);

/** The speaker whose turns overlap the word most; without overlap, the nearest in time. */
const speakerOf = (
  word: Pick<StoredWord, 'start' | 'end'>,
  turns: readonly SpeakerTurn[],
): number | undefined => {
  let best: SpeakerTurn | undefined;
  let most = -Infinity;
  for (const turn of turns) {
    const shared = overlap(word, turn);
    if (shared > most) [best, most] = [turn, shared];
  }
  return best?.speaker;
};

const secondsOf = ({ words }: Run): number => (words.at(-1)?.end ?? 0) - (words[0]?.start ?? 0);

/** Groups a segment's words by speaker; merges runs too short to be a turn into the longer neighbor. */
const runsOf = (words: readonly StoredWord[], turns: readonly SpeakerTurn[]): Run[] => {
  let runs: Run[] = [];
  for (const word of words) {
    const speaker = speakerOf(word, turns) ?? 0;
    const last = runs.at(-1);
    if (last?.speaker === speaker) last.words.push(word);
    else runs.push({ speaker, words: [word] });
  }
  for (;;) {
    const at = runs.length < 2 ? -1 : runs.findIndex((run) => secondsOf(run) < MIN_RUN_SECONDS);
    const short = runs[at];
    if (short === undefined) return runs;
    const [before, after] = [runs[at - 1], runs[at + 1]];
    const neighbor = before && (!after || secondsOf(before) >= secondsOf(after)) ? before : after;
    if (neighbor === undefined) return runs;
    short.speaker = neighbor.speaker;
    const merged: Run[] = [];
    for (const run of runs) {
      const last = merged.at(-1);
      if (last?.speaker === run.speaker) last.words.push(...run.words);
      else merged.push(run);
    }
    runs = merged;
  }
};

/** Whether another speaker's turns cover at least half of a word. */
const isOverlapped = (
  word: Pick<StoredWord, 'start' | 'end'>,
  speaker: number,
  turns: readonly SpeakerTurn[],
): boolean =>
  word.end > word.start &&
  turns.some((turn) => turn.speaker !== speaker && overlap(word, turn) >= (word.end - word.start) / 2);

const labeled = (
  words: readonly StoredWord[],
  label: string,
  speaker: number,
  turns: readonly SpeakerTurn[],
): StoredWord[] =>
  words.map(({ overlap: _, ...word }) => ({
    ...word,
    speaker_id: label,
    ...(isOverlapped(word, speaker, turns) ? { overlap: true } : {}),
  }));

/** Labels speakers A, B, … in the order in which they first speak. */
class Labels {
  readonly #known = new Map<number, string>();

  of(speaker: number): string {
    const label = this.#known.get(speaker) ?? labelAt(this.#known.size);
    this.#known.set(speaker, label);
    return label;
  }

  get all(): ReadonlyMap<number, string> {
    return this.#known;
  }
}

const splitSegment = (
  segment: StoredSegment,
  turns: readonly SpeakerTurn[],
  labels: Labels,
): StoredSegment[] => {
  const runs = runsOf(segment.words, turns);
  const [first] = runs;
  if (runs.length <= 1 || first === undefined) {
    const speaker = first?.speaker ?? speakerOf(segment, turns) ?? 0;
    const label = labels.of(speaker);
    return [{ ...segment, speaker_id: label, words: labeled(segment.words, label, speaker, turns) }];
  }
  return runs.map(({ speaker, words }, index) => {
    const label = labels.of(speaker);
    return {
      ...segment,
      text: joinTexts(words.map(({ word }) => word)),
      start: index === 0 ? segment.start : (words[0]?.start ?? segment.start),
      end: index === runs.length - 1 ? segment.end : (words.at(-1)?.end ?? segment.end),
      speaker_id: label,
      words: labeled(words, label, speaker, turns),
    };
  });
};

/**
 * Assigns each word to the speaker whose turns overlap it most, and splits segments between words so that each has one
 * speaker. `speakers` are those who say a word, with the seconds of their turns and their share of all; `labels` maps
 * the diarizer's numbers to labels.
 */
export const withSpeakers = (
  segments: readonly StoredSegment[],
  turns: readonly SpeakerTurn[],
): {
  segments: StoredSegment[];
  speakers: NonNullable<Transcription['speakers']>;
  labels: ReadonlyMap<number, string>;
} => {
  if (turns.length === 0) return { segments: [...segments], speakers: {}, labels: new Map() };
  const labels = new Labels();
  const byTime = new TurnsByTime(turns);
  const split: StoredSegment[] = [];
  for (const segment of segments) {
    split.push(...splitSegment(segment, byTime.near(segment), labels));
  }
  const seconds = new Map<number, number>();
  for (const { speaker, start, end } of turns) {
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start);
  }
  const total = [...labels.all.keys()].reduce((sum, speaker) => sum + (seconds.get(speaker) ?? 0), 0);
  const speakers = [...labels.all].map(([speaker, label]) => {
    const talk = seconds.get(speaker) ?? 0;
    const share = total === 0 ? 0 : round(talk / total, 3);
    return [label, { name: defaultName(label), talk_seconds: roundMs(talk), share }] as const;
  });
  return {
    segments: split.map((segment, id) => ({ ...segment, id })),
    speakers: Object.fromEntries(speakers),
    labels: labels.all,
  };
};
