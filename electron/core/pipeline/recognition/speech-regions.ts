import { toSamples } from '../../base/audio.ts';
import type { AudioChunk, Span } from '../../engines/ffmpeg/types.ts';

/** A silence this long parts a chunk in two; shorter ones are left to Whisper. */
const PARTING_SECONDS = 5;
/** A silence this long at a chunk's own end is left out. */
const EDGE_SECONDS = 2;
/** Of the silence before and after speech so much stays: Whisper hears where it begins, and so do people. */
const KEPT_SECONDS = 0.3;

/** The stretches between long silences, silence at the chunk's own ends left out. */
const audibleSpans = (chunk: AudioChunk): Span[] => {
  const spans: Span[] = [];
  let from = chunk.start;
  for (const { start, end } of chunk.silences) {
    const atEdge = start <= chunk.start || end >= chunk.end;
    if (end - start < (atEdge ? EDGE_SECONDS : PARTING_SECONDS)) continue;
    if (start > from) spans.push({ start: from, end: Math.min(chunk.end, start + KEPT_SECONDS) });
    from = end >= chunk.end ? chunk.end : end - KEPT_SECONDS;
  }
  if (from < chunk.end) spans.push({ start: from, end: chunk.end });
  return spans;
};

/**
 * The parts of a chunk in which something can be heard. After a long silence Whisper may lose the first words, or
 * whole sentences, and lets segments begin inside it: so it never gets to see one. A part is a chunk like any
 * other, on the same timeline. It depends on the chunk alone, like all that makes up the text.
 */
export const islandsOf = (chunk: AudioChunk): AudioChunk[] =>
  audibleSpans(chunk).map(({ start, end }) => {
    const from = toSamples(start - chunk.start);
    const pcm = chunk.pcm.slice(from, Math.min(chunk.pcm.length, toSamples(end - chunk.start)));
    return {
      ...chunk,
      start,
      end,
      pcm,
      silences: chunk.silences.flatMap((s) => {
        const clipped = { start: Math.max(start, s.start), end: Math.min(end, s.end) };
        return clipped.end > clipped.start ? [clipped] : [];
      }),
    };
  });
