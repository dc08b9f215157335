import { roundMs } from '../../base/numbers.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { RecognizedSegment } from './words.ts';

/** Silence kept at a trimmed edge, because sound fades in and out. Seconds. */
const MARGIN = 0.05;
/** No segment is trimmed to less. Seconds. */
const MIN_LENGTH = 0.1;

/** Maps times in [from, pivot] proportionally onto [to, pivot]; leaves other times unchanged. */
const rescale = (time: number, from: number, to: number, pivot: number): number => {
  const isInside = from < pivot ? time >= from && time <= pivot : time <= from && time >= pivot;
  if (!isInside || from === pivot) return time;
  return to + ((time - from) * (pivot - to)) / (pivot - from);
};

/** Moves one edge of a segment; words between the old edge and the pivot move proportionally. */
const moveEdge = (
  segment: RecognizedSegment,
  side: 'start' | 'end',
  edge: number,
  pivot: number,
): RecognizedSegment => {
  const at = (time: number) => roundMs(rescale(time, segment[side], edge, pivot));
  return {
    ...segment,
    [side]: roundMs(edge),
    words: segment.words.map((word) => ({ ...word, start: at(word.start), end: at(word.end) })),
  };
};

const trimStart = (segment: RecognizedSegment, silences: readonly Span[]): RecognizedSegment => {
  const silence = silences.find((s) => s.start <= segment.start + MARGIN && s.end - MARGIN > segment.start);
  if (silence === undefined || silence.end + MIN_LENGTH > segment.end) return segment;
  const edge = silence.end - MARGIN;
  const pivot = segment.words.find((word) => word.end > edge + MARGIN)?.end ?? segment.end;
  return moveEdge(segment, 'start', edge, pivot);
};

const trimEnd = (segment: RecognizedSegment, silences: readonly Span[]): RecognizedSegment => {
  const silence = silences.find((s) => s.end >= segment.end - MARGIN && s.start + MARGIN < segment.end);
  if (silence === undefined || silence.start - MIN_LENGTH < segment.start) return segment;
  const edge = silence.start + MARGIN;
  const pivot = segment.words.findLast((word) => word.start < edge - MARGIN)?.start ?? segment.start;
  return moveEdge(segment, 'end', edge, pivot);
};

/**
 * Removes the silence at both ends of a segment: Whisper lets segments start and end in the pauses around them.
 * Words placed in such a pause move proportionally into the sound. All times are on one timeline, in seconds.
 */
export const trimSilence = (segment: RecognizedSegment, silences: readonly Span[]): RecognizedSegment =>
  trimEnd(trimStart(segment, silences), silences);
