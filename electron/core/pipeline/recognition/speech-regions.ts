import { toSamples } from '../../base/audio.ts';
import type { AudioPiece, Span } from '../../engines/ffmpeg/types.ts';

/** A silence this long parts a piece in two; shorter ones are left to Whisper. */
const PARTING_SECONDS = 5;
/** A silence this long at a piece's own end is left out. */
const EDGE_SECONDS = 2;
/** Of the silence before and after speech so much stays: Whisper hears where it begins, and so do people. */
const KEPT_SECONDS = 0.3;

/** The stretches between long silences, silence at the piece's own ends left out. */
const audibleSpans = (piece: AudioPiece): Span[] => {
  const spans: Span[] = [];
  let from = piece.start;
  for (const { start, end } of piece.silences) {
    const atEdge = start <= piece.start || end >= piece.end;
    if (end - start < (atEdge ? EDGE_SECONDS : PARTING_SECONDS)) continue;
    if (start > from) spans.push({ start: from, end: Math.min(piece.end, start + KEPT_SECONDS) });
    from = end >= piece.end ? piece.end : end - KEPT_SECONDS;
  }
  if (from < piece.end) spans.push({ start: from, end: piece.end });
  return spans;
};

/**
 * The parts of a piece in which something can be heard. After a long silence Whisper may lose the first words, or
 * whole sentences, and lets segments begin inside it: so it never gets to see one. A part is a piece like any
 * other, on the same timeline. It depends on the piece alone, like all that makes up the text.
 */
export const islandsOf = (piece: AudioPiece): AudioPiece[] =>
  audibleSpans(piece).map(({ start, end }) => {
    const from = toSamples(start - piece.start);
    const pcm = piece.pcm.slice(from, Math.min(piece.pcm.length, toSamples(end - piece.start)));
    return {
      ...piece,
      start,
      end,
      pcm,
      silences: piece.silences.flatMap((s) => {
        const clipped = { start: Math.max(start, s.start), end: Math.min(end, s.end) };
        return clipped.end > clipped.start ? [clipped] : [];
      }),
    };
  });
