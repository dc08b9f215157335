import { toSamples } from '../../base/audio.ts';
import type { AudioChunk, Span } from '../../engines/ffmpeg/types.ts';

/** A silence gap this long separates two regions; Whisper handles shorter ones. Seconds. */
const MIN_GAP = 5;
/** A silence this long at the start or end of a chunk is left out. Seconds. */
const MIN_EDGE_SILENCE = 2;
/** Silence kept before and after speech, which otherwise starts and ends abruptly. Seconds. */
const PADDING = 0.3;

/** A part of a chunk that contains speech, on the source's timeline. `pcm` shares the chunk's memory. */
export type SpeechRegion = Pick<AudioChunk, 'start' | 'end' | 'pcm' | 'silences'>;

const speechSpans = (chunk: AudioChunk): Span[] => {
  const spans: Span[] = [];
  let from = chunk.start;
  for (const { start, end } of chunk.silences) {
    const isAtEdge = start <= chunk.start || end >= chunk.end;
    if (end - start < (isAtEdge ? MIN_EDGE_SILENCE : MIN_GAP)) continue;
    if (start > from) spans.push({ start: from, end: Math.min(chunk.end, start + PADDING) });
    from = end >= chunk.end ? chunk.end : end - PADDING;
  }
  if (from < chunk.end) spans.push({ start: from, end: chunk.end });
  return spans;
};

/**
 * The speech regions of a chunk, in order. Whisper never gets a long silence to decode: after one it may miss words or
 * whole sentences, and it lets segments start inside it. Regions depend on their chunk alone, so a resumed job
 * finds the same ones.
 */
export const speechRegions = (chunk: AudioChunk): SpeechRegion[] =>
  speechSpans(chunk).map(({ start, end }) => ({
    start,
    end,
    pcm: chunk.pcm.subarray(
      toSamples(start - chunk.start),
      Math.min(chunk.pcm.length, toSamples(end - chunk.start)),
    ),
    silences: chunk.silences.flatMap((silence) => {
      const clipped = { start: Math.max(start, silence.start), end: Math.min(end, silence.end) };
      return clipped.end > clipped.start ? [clipped] : [];
    }),
  }));
