import { roundMs } from '../../base/numbers.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { StoredSegment } from '../../stores/segments.ts';

type Timed = Omit<StoredSegment, 'id'>;

/** Sound rises and falls slower than a detector's edge. */
const MARGIN = 0.05;
const LEAST = 0.1;

/** Maps the times in [from, pivot] onto [to, pivot] in proportion; others stay. */
const stretch = (time: number, from: number, to: number, pivot: number): number => {
  const inside = from < pivot ? time >= from && time <= pivot : time <= from && time >= pivot;
  if (!inside || from === pivot) return time;
  return to + ((time - from) * (pivot - to)) / (pivot - from);
};

const remap = (segment: Timed, edge: number, pivot: number, side: 'start' | 'end'): Timed => {
  const at = (time: number) => roundMs(stretch(time, segment[side], edge, pivot));
  return {
    ...segment,
    [side]: roundMs(edge),
    words: segment.words.map((word) => ({ ...word, start: at(word.start), end: at(word.end) })),
  };
};

const trimStart = (segment: Timed, silences: readonly Span[]): Timed => {
  const silence = silences.find((s) => s.start <= segment.start + MARGIN && s.end - MARGIN > segment.start);
  if (silence === undefined || silence.end + LEAST > segment.end) return segment;
  const edge = silence.end - MARGIN;
  const pivot = segment.words.find((word) => word.end > edge + MARGIN)?.end ?? segment.end;
  return remap(segment, edge, pivot, 'start');
};

const trimEnd = (segment: Timed, silences: readonly Span[]): Timed => {
  const silence = silences.find((s) => s.end >= segment.end - MARGIN && s.start + MARGIN < segment.end);
  if (silence === undefined || silence.start - LEAST < segment.start) return segment;
  const edge = silence.start + MARGIN;
  const pivot = segment.words.findLast((word) => word.start < edge - MARGIN)?.start ?? segment.start;
  return remap(segment, edge, pivot, 'end');
};

/**
 * A segment without the silence at its ends: Whisper lets segments begin and end in the pause beside them.
 * Words that were placed in the pause move, in proportion, to where there is sound; the others stay.
 * All times are seconds on one timeline.
 */
export const trimSilence = (segment: Timed, silences: readonly Span[]): Timed =>
  trimEnd(trimStart(segment, silences), silences);
