import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Speaker } from '../../../contract/transcript.ts';
import { PEAKS_PER_SECOND, SAMPLE_RATE } from '../../base/audio.ts';
import { createYielder } from '../../base/event-loop.ts';
import { clamp, mean, round, roundMs } from '../../base/numbers.ts';
import { defaultName, labelAt } from '../../base/speaker-names.ts';
import type { AudioChunk } from '../../engines/ffmpeg/types.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';
import type { Diarized } from '../findings/diarize.ts';
import { alignWords } from './align-words.ts';
import { MAX_CHANNELS } from './audio-streams.ts';
import { keepWords, type RecognizedSegment } from './words.ts';

/** The power of 1/20 s is stored as one byte: 1 is -100 dB of full scale or less, 201 is 0 dB, 0 is unknown. */
const FLOOR_DB = -100;
const STEPS_PER_DB = 2;
const UNKNOWN = 0;
/** Quieter parts say nothing about how loud a channel's speech is. */
const MIN_SPEECH_DB = -60;
/** The share of a channel's louder parts from which on it counts as its own speech. */
const LOUD_SHARE = 0.9;
/** The share of their parts that are equally loud in channels with the same sound; a lossy codec may differ in a few. */
const SAME_SHARE = 0.98;

/** The file of a channel's levels, in the transcript's folder. */
export const levelsFile = (channel: number): string => `levels-${PEAKS_PER_SECOND}-${channel}.bin`;

const levelsOf = (pcm: Float32Array): Uint8Array => {
  const bucket = SAMPLE_RATE / PEAKS_PER_SECOND;
  return Uint8Array.from({ length: Math.ceil(pcm.length / bucket) }, (_, index) => {
    const samples = pcm.subarray(index * bucket, (index + 1) * bucket);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    const level = clamp(10 * Math.log10(power + 1e-12), FLOOR_DB, 0);
    return 1 + Math.round((level - FLOOR_DB) * STEPS_PER_DB);
  });
};

/** Writes how loud a chunk is. Idempotent, because each chunk has a fixed place in the file. */
export const writeLevels = async (path: string, chunk: AudioChunk, rangeStart: number): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const bytes = levelsOf(chunk.pcm);
  const file = await open(path, chunk.index === 0 ? 'w' : 'r+').catch(() => open(path, 'w'));
  try {
    await file.write(bytes, 0, bytes.length, Math.round((chunk.start - rangeStart) * PEAKS_PER_SECOND));
  } finally {
    await file.close();
  }
};

/** How loud a channel is, in decibels of full scale; times are seconds on the source's timeline. */
export class Levels {
  readonly #bytes: Uint8Array;
  readonly #start: number;

  constructor(bytes: Uint8Array, rangeStart: number) {
    this.#bytes = bytes;
    this.#start = rangeStart;
  }

  /** Of a channel; all of it is unknown if there is no file. */
  static async read(path: string, rangeStart: number): Promise<Levels> {
    return new Levels(await readFile(path).catch(() => new Uint8Array()), rangeStart);
  }

  /** The mean power between two times; undefined if nothing is known of it. */
  between(start: number, end: number): number | undefined {
    const known = this.#bytesBetween(start, end).filter((byte) => byte !== UNKNOWN);
    if (known.length === 0) return undefined;
    const power = known.reduce((sum, byte) => sum + 10 ** (toDecibels(byte) / 10), 0) / known.length;
    return 10 * Math.log10(power);
  }

  /** By how much another channel is louder, for each part between two times in which that one has sound. */
  differencesTo(other: Levels, start: number, end: number): number[] {
    const louder = other.#bytesBetween(start, end);
    return [...this.#bytesBetween(start, end)].flatMap((byte, index) => {
      const loud = louder[index] ?? UNKNOWN;
      if (byte === UNKNOWN || loud === UNKNOWN || toDecibels(loud) < MIN_SPEECH_DB) return [];
      return [(loud - byte) / STEPS_PER_DB];
    });
  }

  /** Whether two channels carry the same sound throughout, as those of a mono recording that was saved in stereo. */
  isSameAs(other: Levels): boolean {
    let [heard, same] = [0, 0];
    for (const [index, byte] of this.#bytes.entries()) {
      const theirs = other.#bytes[index] ?? UNKNOWN;
      if (Math.max(toDecibels(byte), toDecibels(theirs)) < MIN_SPEECH_DB) continue;
      heard++;
      if (Math.abs(byte - theirs) <= 1) same++;
    }
    return heard > PEAKS_PER_SECOND && same / heard >= SAME_SHARE;
  }

  #bytesBetween(start: number, end: number): Uint8Array {
    const from = Math.max(0, Math.floor((start - this.#start) * PEAKS_PER_SECOND));
    const to = Math.max(from + 1, Math.ceil((end - this.#start) * PEAKS_PER_SECOND));
    return this.#bytes.subarray(from, to);
  }

  /** How loud its louder speech is, which is that of the person whose channel it is; undefined without any sound. */
  typical(): number | undefined {
    const heard = this.#bytes.filter((byte) => byte !== UNKNOWN && toDecibels(byte) > MIN_SPEECH_DB);
    const level = heard.toSorted()[Math.floor(heard.length * LOUD_SHARE)];
    return level === undefined ? undefined : toDecibels(level);
  }
}

const toDecibels = (byte: number): number => FLOOR_DB + (byte - 1) / STEPS_PER_DB;

/** The least pause, in seconds, in which what another channel says divides a segment. */
const MIN_PAUSE = 0.3;

/** A segment that is said in a channel, by its speaker: the first channel is A, the second B. */
export const inChannel = (segment: RecognizedSegment, channel: number): RecognizedSegment => {
  const speaker_id = labelAt(channel);
  const words = segment.words.map((word) => ({ ...word, speaker_id }));
  return { ...segment, channel, speaker_id, words };
};

/** In order of time, and of channels where they begin at once; numbered anew. */
export const inOrderOfTime = (segments: readonly StoredSegment[]): StoredSegment[] =>
  segments
    .toSorted((a, b) => a.start - b.start || (a.channel ?? 0) - (b.channel ?? 0) || a.id - b.id)
    .map((segment, id) => ({ ...segment, id }));

/** The index of the first number that is not below `from`, of numbers in order. */
const firstFrom = (numbers: readonly number[], from: number): number => {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Divides a segment in its pauses wherever another channel begins to speak. */
const atTurns = (segment: StoredSegment, others: readonly number[]): StoredSegment[] => {
  const { words } = segment;
  const cuts = words.flatMap((word, index) => {
    const next = words[index + 1];
    if (next === undefined || next.start - word.end < MIN_PAUSE) return [];
    const begins = others[firstFrom(others, word.end)];
    return begins !== undefined && begins < next.start ? [index + 1] : [];
  });
  if (cuts.length === 0) return [segment];
  return [0, ...cuts].flatMap((from, part) => {
    const own = new Set(words.slice(from, cuts[part]));
    const kept = keepWords(segment, (word) => own.has(word));
    const start = part === 0 ? segment.start : (words[from]?.start ?? segment.start);
    return kept === undefined ? [] : [{ ...kept, id: segment.id, start }];
  });
};

/**
 * The turns of all channels in order of time: a segment is divided where another channel answers in one of its pauses.
 * Speech of several channels at once stays whole in each.
 */
const mergeChannels = (segments: readonly StoredSegment[]): StoredSegment[] => {
  const beginsIn = new Map<number, number[]>();
  for (const { channel = 0, words } of segments) {
    const begins = beginsIn.get(channel) ?? [];
    begins.push(...words.map(({ start }) => start));
    beginsIn.set(channel, begins);
  }
  const othersOf = new Map(
    [...beginsIn.keys()].map((channel) => {
      const others = [...beginsIn].flatMap(([other, begins]) => (other === channel ? [] : begins));
      return [channel, others.toSorted((a, b) => a - b)] as const;
    }),
  );
  return inOrderOfTime(
    segments.flatMap((segment) => atTurns(segment, othersOf.get(segment.channel ?? 0) ?? [])),
  );
};

/** The speaker of each channel in which something is said. */
export const channelSpeakers = (segments: readonly StoredSegment[]): Record<string, Speaker> => {
  const seconds = new Map<string, number>();
  for (const { speaker_id, start, end } of segments) {
    if (speaker_id !== null) seconds.set(speaker_id, (seconds.get(speaker_id) ?? 0) + end - start);
  }
  const total = [...seconds.values()].reduce((sum, talk) => sum + talk, 0);
  return Object.fromEntries(
    [...seconds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([label, talk]) => [
        label,
        {
          name: defaultName(label),
          talk_seconds: roundMs(talk),
          share: total === 0 ? 0 : round(talk / total, 3),
        },
      ]),
  );
};

/** Letters that sound alike, to one symbol each; upper case stands for sounds that are written with several letters. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[^\p{L}\p{N}]/gu, ''],
  [/^(?:kn|gn|pn)/u, 'n'],
  [/^wr/u, 'r'],
  [/^ps/u, 's'],
  [/^x/u, 's'],
  [/ngu(?=[aeiouy])/u, 'nw'],
  [/ough|augh/gu, 'o'],
  [/gh(?=t|$)/gu, ''],
  [/gh/gu, 'g'],
  [/ph/gu, 'f'],
  [/tsch|tch|cz|ch/gu, 'C'],
  [/sch|sh|sz/gu, 'S'],
  [/th/gu, 't'],
  [/ck|q(?=u)/gu, 'k'],
  [/qu/gu, 'kw'],
  [/ku(?=[aeio])/gu, 'kw'],
  [/dg|j/gu, 'J'],
  [/x/gu, 'ks'],
  [/c(?=[eiy])/gu, 's'],
  [/[cq]/gu, 'k'],
  [/z|ß/gu, 's'],
  [/(?<=[a-z])e$/u, ''],
  [/y/gu, 'i'],
  [/(.)\1+/gu, '$1'],
];

/** The sounds of a word or phrase, roughly: made for the Latin script; other scripts keep their letters. */
export const soundsOf = (text: string): string =>
  SPELLINGS.reduce(
    (sounds, [spelling, sound]) => sounds.replace(spelling, sound),
    text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
  );

const VOWELS = 'aeiou';
/** Consonants that are easily taken for each other. */
const ALIKE = ['bp', 'dt', 'gk', 'vf', 'vw', 'mn', 'sS', 'CJ', 'SJ', 'CS', 'lr'];
const ALIKE_COST = 0.4;
const VOWEL_COST = 0.35;
/** Vowels and h come and go between words. */
const WEAK_COST = 0.45;

const isVowel = (sound: string): boolean => VOWELS.includes(sound);

const costOfChange = (a: string, b: string): number => {
  if (a === b) return 0;
  if (isVowel(a) && isVowel(b)) return VOWEL_COST;
  return ALIKE.some((pair) => pair.includes(a) && pair.includes(b)) ? ALIKE_COST : 1;
};

const costOfGap = (sound: string): number => (isVowel(sound) || sound === 'h' ? WEAK_COST : 1);

/** A weighted edit distance between two results of {@link soundsOf}, as a share of the longer one: 0 is the same sound. */
export const phoneticDistance = (a: string, b: string): number => {
  let row = [0];
  for (const sound of b) row.push((row.at(-1) ?? 0) + costOfGap(sound));
  for (const sound of a) {
    const next = [(row[0] ?? 0) + costOfGap(sound)];
    for (const [index, other] of [...b].entries()) {
      next.push(
        Math.min(
          (row[index] ?? 0) + costOfChange(sound, other),
          (row[index + 1] ?? 0) + costOfGap(sound),
          (next[index] ?? 0) + costOfGap(other),
        ),
      );
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(1, a.length, b.length);
};

/** Decibels by which a word must be quieter than the same one in another channel. */
const MIN_DIFFERENCE = 6;
/** Seconds by which the times of one word may differ between two channels. */
const MAX_APART = 0.6;
/** The same word may be misheard in the quieter channel. */
const MAX_PHONETIC_DISTANCE = 0.35;
/** The least share of a run's words that another channel has, too. */
const MIN_SAME = 0.5;
/** Parts of 1/20 s over which the levels of two channels are compared, at least. */
const MIN_FOLLOWED = 8;
/** Decibels by which the difference of two channels varies where one only picks up the other; speech of its own varies more. */
const MAX_SPREAD = 3;
/** Runs with fewer words could be said by two people at once, "yes", and small words are quiet: they need a clearer case. */
const MIN_TELLING_WORDS = 3;
const CLEAR = { difference: 10, apart: 0.25 };
/** Decibels by which a channel's loudest parts are below another's if it may have no speech of its own. */
const MUCH_QUIETER = 12;

type Channel = {
  readonly channel: number;
  readonly levels: Levels;
  readonly typical: number | undefined;
  /** In order of time. */
  readonly words: readonly StoredWord[];
};

type Judged = {
  readonly word: StoredWord;
  /** By how much the other channel is louder while it is said; decibels. */
  readonly difference: number;
  /** The same, if each channel's own speech counts as equally loud. */
  readonly relative: number;
};

const difference = (a: number | undefined, b: number | undefined): number =>
  a === undefined || b === undefined ? 0 : a - b;

const judge = (word: StoredWord, own: Channel, other: Channel): Judged => {
  const louder = difference(
    other.levels.between(word.start, word.end),
    own.levels.between(word.start, word.end),
  );
  return { word, difference: louder, relative: louder - difference(other.typical, own.typical) };
};

const isQuieter = ({ difference: louder, relative }: Judged): boolean =>
  Math.max(louder, relative) >= MIN_DIFFERENCE;

const isSameWord = (a: string, b: string): boolean => {
  const [first, second] = [soundsOf(a), soundsOf(b)];
  return first === second || phoneticDistance(first, second) <= MAX_PHONETIC_DISTANCE;
};

/** The words that begin between two times, of words in order. */
const wordsBetween = (words: readonly StoredWord[], from: number, to: number): StoredWord[] => {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle]?.start ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  const found: StoredWord[] = [];
  for (let word = words[low]; word !== undefined && word.start <= to; word = words[++low]) found.push(word);
  return found;
};

/** Consecutive words that are quieter than in the other channel. */
const quieterRuns = (judged: readonly Judged[]): Judged[][] => {
  const runs: Judged[][] = [];
  let isRun = false;
  for (const each of judged) {
    const quieter = isQuieter(each);
    if (quieter && isRun) runs.at(-1)?.push(each);
    else if (quieter) runs.push([each]);
    isRun = quieter;
  }
  return runs;
};

const countSame = (run: readonly StoredWord[], other: Channel, apart: number): number => {
  const [first, last] = [run[0]?.start ?? 0, run.at(-1)?.start ?? 0];
  const heard = wordsBetween(other.words, first - apart, last + apart);
  const isSame = (i: number, j: number) => isSameWord(run[i]?.word ?? '', heard[j]?.word ?? '');
  return alignWords(run, heard, isSame).filter(([i, j]) => {
    if (i === null || j === null) return false;
    return Math.abs((run[i]?.start ?? 0) - (heard[j]?.start ?? 0)) <= apart && isSame(i, j);
  }).length;
};

/** Whether a channel gets louder and quieter with another one, as far as a sound that comes from there does. */
const followsLevel = (run: readonly StoredWord[], own: Channel, other: Channel): boolean => {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return false;
  const differences = own.levels.differencesTo(other.levels, first.start, last.end);
  if (differences.length < MIN_FOLLOWED) return false;
  const usual = mean(differences);
  const spread = Math.sqrt(mean(differences.map((each) => (each - usual) ** 2)));
  return usual >= MIN_DIFFERENCE && spread <= MAX_SPREAD;
};

const isBleed = (run: readonly Judged[], own: Channel, other: Channel): boolean => {
  const words = run.map(({ word }) => word);
  if (followsLevel(words, own, other)) return true;
  const isShort = words.length < MIN_TELLING_WORDS;
  if (countSame(words, other, isShort ? CLEAR.apart : MAX_APART) < MIN_SAME * words.length) return false;
  if (difference(other.typical, own.typical) >= MUCH_QUIETER) return true;
  // Beside a louder voice a channel's own speech is quieter, too, but not than it is otherwise.
  const needed = isShort ? CLEAR.difference : MIN_DIFFERENCE;
  return mean(run.map(({ relative }) => relative)) >= needed;
};

/** The words of a segment that are another channel's, heard from afar. */
const bleedIn = ({ words }: StoredSegment, own: Channel, others: readonly Channel[]): Set<StoredWord> => {
  const bleed = new Set<StoredWord>();
  for (const other of others) {
    const judged = words.map((word) => judge(word, own, other));
    for (const run of quieterRuns(judged)) {
      if (isBleed(run, own, other)) for (const { word } of run) bleed.add(word);
    }
  }
  return bleed;
};

/**
 * Leaves out what a channel hears of the person in another: runs of words that are quieter than there, and most of which the
 * other channel has at the same time, or whose level follows the other's, so that they are the same sound misheard. Other
 * words that only this channel has stay, however quiet they are.
 */
export const withoutBleed = async (
  segments: readonly StoredSegment[],
  levels: readonly Levels[],
): Promise<{ readonly segments: StoredSegment[]; readonly dropped: StoredWord[] }> => {
  const channels = levels.map((own, channel): Channel => {
    const words = segments
      .filter((segment) => segment.channel === channel)
      .flatMap((segment) => segment.words);
    return {
      channel,
      levels: own,
      typical: own.typical(),
      words: words.toSorted((a, b) => a.start - b.start),
    };
  });
  const kept: StoredSegment[] = [];
  const dropped: StoredWord[] = [];
  const yieldIfDue = createYielder();
  for (const segment of segments) {
    await yieldIfDue();
    const own = channels[segment.channel ?? 0];
    const others = channels.filter((other) => other !== own);
    const bleed = own === undefined ? new Set<StoredWord>() : bleedIn(segment, own, others);
    dropped.push(...bleed);
    const rest = keepWords(segment, (word) => !bleed.has(word));
    const [first] = rest?.words ?? [];
    if (rest === undefined || first === undefined) continue;
    kept.push({ ...rest, id: segment.id, start: bleed.size === 0 ? segment.start : first.start });
  }
  return { segments: kept, dropped };
};

type ChannelFiles = {
  /** The transcript's folder, with the levels of its channels. */
  readonly folder: string;
  readonly channels: number;
  /** Where they begin, in seconds on the source's timeline. */
  readonly start: number;
};

const sameSound = (copy: number, original: number): string =>
  `The channels ${original} and ${copy} carry the same sound: what is said there is in the text once, of channel ${original}.`;

/** For each channel, an earlier one with the same sound. */
const originalsOf = (levels: readonly Levels[]): Map<number, number> =>
  new Map(
    levels.flatMap((own, channel) => {
      const original = levels.slice(0, channel).findIndex((earlier) => own.isSameAs(earlier));
      return original < 0 ? [] : [[channel, original]];
    }),
  );

/** Makes one conversation of what was recognized in each channel: without bleed, in order of time, a speaker in each. */
export const settleChannels = async (
  recognized: readonly StoredSegment[],
  { folder, channels, start }: ChannelFiles,
): Promise<Diarized> => {
  const levels = await Promise.all(
    Array.from({ length: channels }, (_, channel) => Levels.read(join(folder, levelsFile(channel)), start)),
  );
  const originals = originalsOf(levels);
  const { segments } = await withoutBleed(
    recognized.filter(({ channel = 0 }) => !originals.has(channel)),
    levels,
  );
  const merged = mergeChannels(segments);
  return {
    segments: merged,
    speakers: channelSpeakers(merged),
    warnings: [...originals].map(([copy, original]) => sameSound(copy, original)),
  };
};

/** Removes the levels of a transcript's channels, which only its recognition needs. */
export const removeLevels = async (folder: string): Promise<void> => {
  for (let channel = 0; channel < MAX_CHANNELS; channel++) {
    await rm(join(folder, levelsFile(channel)), { force: true });
  }
};
