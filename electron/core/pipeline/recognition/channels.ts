import type { Speaker } from '../../../contract/transcript.ts';
import { round, roundMs } from '../../base/numbers.ts';
import { defaultName, labelAt } from '../../base/speaker-names.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import { keepWords, type RecognizedSegment } from './words.ts';

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
export const mergeChannels = (segments: readonly StoredSegment[]): StoredSegment[] => {
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
