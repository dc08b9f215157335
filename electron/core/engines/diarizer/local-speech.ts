import { SAMPLE_RATE } from '../../base/audio.ts';
import type { SpeakerTurn } from './types.ts';

/** Times are counted in frames of 10 ms. */
export const FRAME = SAMPLE_RATE / 100;
export const FRAMES_PER_SECOND = SAMPLE_RATE / FRAME;

/** A stretch of time in frames; the end is exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** What one speaker says in a part of the recording, as the segmentation finds it. */
export type LocalSpeech = {
  readonly spans: readonly Span[];
  /** Where nobody else speaks: what the voice is recognized by. */
  readonly alone: readonly Span[];
};

/** A turn of at least this many frames is speech by itself: the segmentation confuses voices even within its window. */
const OWN_TURN = FRAMES_PER_SECOND;

export const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { start, end }) => sum + end - start, 0);

/** The frames of a span that no other span covers. */
const without = (span: Span, others: readonly Span[]): Span[] => {
  const left: Span[] = [];
  let from = span.start;
  for (const { start, end } of others.toSorted((a, b) => a.start - b.start)) {
    if (end <= from || start >= span.end) continue;
    if (start > from) left.push({ start: from, end: start });
    from = end;
  }
  if (from < span.end) left.push({ start: from, end: span.end });
  return left;
};

/**
 * Speech in a part of a window of the segmentation: each long turn by itself, and the short ones of each speaker together.
 * `turns` are in seconds from the start of the window; `offset` is that start, `part` the part, in frames of the recording.
 */
export const localSpeechOf = (turns: readonly SpeakerTurn[], offset: number, part: Span): LocalSpeech[] => {
  const clipped = turns
    .map(({ start, end, speaker }) => ({
      start: Math.max(part.start, offset + Math.round(start * FRAMES_PER_SECOND)),
      end: Math.min(part.end, offset + Math.round(end * FRAMES_PER_SECOND)),
      speaker,
    }))
    .filter(({ start, end }) => end > start);
  return [...new Set(clipped.map(({ speaker }) => speaker))].flatMap((speaker) => {
    const own = clipped.filter((turn) => turn.speaker === speaker);
    const others = clipped.filter((turn) => turn.speaker !== speaker);
    const long = own.filter(({ start, end }) => end - start >= OWN_TURN).map((turn) => [turn]);
    const short = own.filter(({ start, end }) => end - start < OWN_TURN);
    return [...long, ...(short.length > 0 ? [short] : [])].map((spans) => ({
      spans,
      alone: spans.flatMap((span) => without(span, others)),
    }));
  });
};

/** The turns of one speaker, in seconds: pauses up to `bridged` frames are no end of a turn. */
export const turnsOf = (spans: readonly Span[], speaker: number, bridged: number): SpeakerTurn[] => {
  const turns: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = turns.at(-1);
    if (last !== undefined && start - last.end <= bridged) last.end = Math.max(last.end, end);
    else turns.push({ start, end });
  }
  return turns.map(({ start, end }) => ({
    start: start / FRAMES_PER_SECOND,
    end: end / FRAMES_PER_SECOND,
    speaker,
  }));
};
