import { toSamples } from '../../base/audio.ts';
import { roundMs } from '../../base/numbers.ts';
import type { AudioChunk, Span } from '../../engines/ffmpeg/types.ts';
import { levelled } from './speech-map.ts';
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

/** A pause this long separates two regions; Whisper handles shorter ones. Seconds. */
const MIN_GAP = 3;
/** Kept before and after speech, which otherwise starts and ends abruptly; seconds. With 0.3, 357 instead of 351 of 2,606 words were wrong. */
const PADDING = 0.5;
/** A pause between utterances, which may be in two languages; seconds. The spans of speech are wider than it by their margins. */
const MIN_TURN_GAP = 0.1;
/** A pause within what somebody says; seconds. */
const MIN_PART_GAP = 0.3;

/** A part of a chunk in which somebody speaks, on the source's timeline. `pcm` may share the chunk's memory. */
export type SpeechRegion = Pick<AudioChunk, 'start' | 'end' | 'speech'> & { readonly pcm: Float32Array };

/** `speech` with its padding, which ends at `bounds`. */
const regionOf = (
  { start, pcm }: Pick<SpeechRegion, 'start' | 'pcm'>,
  speech: readonly Span[],
  bounds: Span,
): SpeechRegion => {
  const from = Math.max(bounds.start, (speech[0]?.start ?? start) - PADDING);
  const to = Math.min(bounds.end, (speech.at(-1)?.end ?? start) + PADDING);
  return { start: from, end: to, pcm: pcm.subarray(toSamples(from - start), toSamples(to - start)), speech };
};

/** Groups spans, in order of time, that `isApart` does not separate. */
const groupSpans = (
  spans: readonly Span[],
  isApart: (next: Span, group: readonly Span[]) => boolean,
): Span[][] => {
  const groups: Span[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    if (group === undefined || isApart(span, group)) groups.push([span]);
    else group.push(span);
  }
  return groups;
};

const gapBefore = (next: Span, group: readonly Span[]): number => next.start - (group.at(-1)?.end ?? 0);

/**
 * The speech regions of a chunk, in order: Whisper never gets a long pause to decode, in which it writes what no one says,
 * and after which it may miss whole sentences. Regions depend on their chunk alone, so a resumed job finds the same ones.
 */
export const speechRegions = (chunk: SpeechRegion): SpeechRegion[] =>
  groupSpans(chunk.speech, (next, group) => gapBefore(next, group) >= MIN_GAP).map((speech) => {
    const region = regionOf(chunk, speech, chunk);
    const own = speech.map(({ start, end }) => ({ start: start - region.start, end: end - region.start }));
    return { ...region, pcm: levelled(region.pcm, own) };
  });

/** The region's utterances of at least `minSeconds`, but for the last, each a region of its own, without its neighbors' speech. */
export const partsOf = (
  region: SpeechRegion,
  minSeconds: number,
  minGap: number = MIN_PART_GAP,
): SpeechRegion[] => {
  const groups = groupSpans(
    region.speech,
    (next, group) =>
      gapBefore(next, group) >= minGap && (group.at(-1)?.end ?? 0) - (group[0]?.start ?? 0) >= minSeconds,
  );
  return groups.map((speech, index) =>
    regionOf(region, speech, {
      start: groups[index - 1]?.at(-1)?.end ?? region.start,
      end: groups[index + 1]?.[0]?.start ?? region.end,
    }),
  );
};

/** Utterances of about a second, of which each is in one language. */
export const turnsOf = (region: SpeechRegion): SpeechRegion[] => partsOf(region, 1, MIN_TURN_GAP);

/** The part of a region from the first to the last of some of its parts. */
export const joinRegions = (region: SpeechRegion, parts: readonly SpeechRegion[]): SpeechRegion =>
  regionOf(
    region,
    parts.flatMap(({ speech }) => speech),
    region,
  );
