import { clamp, roundMs } from '../../base/numbers.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { RecognizedSegment } from './words.ts';

/** A word may reach this far into a silence, because sound fades in and out. Seconds. */
const MARGIN = 0.05;

/** The longer of the parts of a word that a silence leaves; a word that lies inside it shrinks to the nearer edge. */
const leaveSilence = (word: Span, silence: Span): Span => {
  const [from, to] = [silence.start + MARGIN, silence.end - MARGIN];
  if (to <= from || word.end <= from || word.start >= to) return word;
  const before = from - word.start;
  const after = word.end - to;
  if (before > 0 || after > 0) {
    return before >= after ? { start: word.start, end: from } : { start: to, end: word.end };
  }
  const edge = word.start - silence.start <= silence.end - word.end ? from : to;
  return { start: edge, end: edge };
};

/**
 * Moves aligned words out of known silence and sets the segment's bounds to those of its words. Words stay in order and do not
 * overlap. All times are on one timeline, in seconds.
 */
export const fitToSound = (segment: RecognizedSegment, silences: readonly Span[]): RecognizedSegment => {
  let earliest = 0;
  const words = segment.words.map((word) => {
    const { start, end } = silences.reduce<Span>(leaveSilence, word);
    const from = Math.max(earliest, start);
    earliest = clamp(end, from, Infinity);
    return { ...word, start: roundMs(from), end: roundMs(earliest) };
  });
  const { start, end } = segment;
  return { ...segment, start: words[0]?.start ?? start, end: words.at(-1)?.end ?? end, words };
};

/** A word's place in each of two readings of the same audio; null if a reading has no counterpart. */
export type AlignedPair = readonly [first: number | null, second: number | null];

/** NIST sclite's weights: a substitution costs less than a deletion and an insertion together. */
const GAP_COST = 0.75;
const SUBSTITUTION_COST = 1;
/** For each second between two words. Whisper's word times are estimates, off by half a second and more. */
const COST_PER_SECOND = 0.25;

const GAP_FIRST = 0;
const GAP_SECOND = 1;
const PAIR = 2;

const middleOf = ({ start, end }: Span): number => (start + end) / 2;

const distanceTo =
  (first: readonly Span[], second: readonly Span[]) =>
  (i: number, j: number): number => {
    const [a, b] = [first[i], second[j]];
    return a === undefined || b === undefined ? 0 : Math.abs(middleOf(a) - middleOf(b));
  };

/** The cheapest last step to each pair of prefixes, row by row; only two rows of costs are kept. */
const stepsOf = (
  first: readonly Span[],
  second: readonly Span[],
  isSame: (first: number, second: number) => boolean,
): Uint8Array => {
  const width = second.length + 1;
  const distance = distanceTo(first, second);
  const steps = new Uint8Array((first.length + 1) * width).fill(GAP_SECOND, 0, width);
  let above = Float64Array.from({ length: width }, (_, j) => j * GAP_COST);
  for (let i = 1; i <= first.length; i++) {
    const row = new Float64Array(width);
    row[0] = i * GAP_COST;
    for (let j = 1; j < width; j++) {
      const pair =
        (above[j - 1] ?? 0) +
        (isSame(i - 1, j - 1) ? 0 : SUBSTITUTION_COST) +
        distance(i - 1, j - 1) * COST_PER_SECOND;
      const gapFirst = (above[j] ?? 0) + GAP_COST;
      const gapSecond = (row[j - 1] ?? 0) + GAP_COST;
      const best = Math.min(pair, gapFirst, gapSecond);
      row[j] = best;
      // Of two gaps that cost the same, the later word comes last.
      const isFirstLater = (first[i - 1]?.start ?? 0) >= (second[j - 1]?.start ?? 0);
      const isGapFirst = best === gapFirst && (isFirstLater || best !== gapSecond);
      steps[i * width + j] = best === pair ? PAIR : isGapFirst ? GAP_FIRST : GAP_SECOND;
    }
    above = row;
  }
  return steps;
};

/**
 * Aligns the words of two readings by edit distance in which words far apart in time do not pair: the time-mediated
 * alignment of NIST's sclite. Takes first × second bytes, so call it with the words of one chunk of audio at a time.
 */
export const alignWords = (
  first: readonly Span[],
  second: readonly Span[],
  isSame: (first: number, second: number) => boolean,
): AlignedPair[] => {
  const width = second.length + 1;
  const steps = stepsOf(first, second, isSame);
  const pairs: AlignedPair[] = [];
  for (let i = first.length, j = second.length; i > 0 || j > 0; ) {
    const step = steps[i * width + j];
    if (step === PAIR) pairs.push([--i, --j]);
    else if (step === GAP_FIRST && i > 0) pairs.push([--i, null]);
    else pairs.push([null, --j]);
  }
  return pairs.reverse();
};
