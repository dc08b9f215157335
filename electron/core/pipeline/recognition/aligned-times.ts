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
