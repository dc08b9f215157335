/**
 * Puts times to the pieces of a transcript's text. The text is the truth (a person may have edited it); the
 * recogniser's words say when each piece was spoken.
 */
import type { Segment, Word } from '../../contract/transcript.ts';
import { clamp } from '../base/numbers.ts';
import { displayWidth, separatorBetween } from '../base/text.ts';
import { BREAKING_SPACE, cleanText } from './text.ts';
import { piecesOf, type TextPiece } from './tokens.ts';
import type { ExportTranscript } from './types.ts';

export type TimedPiece = TextPiece & {
  /** Seconds on the source's timeline. Starts never go back, `end >= start`. */
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
};

type Span = { start: number; end: number; speaker: string | null };

export type TimeWindow = { readonly start: number; readonly end: number };

const squeeze = (text: string): string => cleanText(text).split(BREAKING_SPACE).join('');

/** The part of the source's timeline that was transcribed. */
export const windowOf = (transcript: ExportTranscript): TimeWindow => {
  const start = Math.max(0, transcript.audio_start_from ?? 0);
  if (transcript.duration > 0) return { start, end: start + transcript.duration };
  const ends = transcript.segments.map((segment) => segment.end).filter(Number.isFinite);
  return { start, end: ends.reduce((latest, end) => Math.max(latest, end), start) };
};

/** Spreads pieces over a span in proportion to their width. */
const spread = (pieces: readonly TextPiece[], span: Span): Span[] => {
  const widths = pieces.map((piece) => displayWidth(piece.text) + 1);
  const total = widths.reduce((sum, width) => sum + width, 0);
  let at = span.start;
  return widths.map((width) => {
    const start = at;
    at += ((span.end - span.start) * width) / total;
    return { start, end: at, speaker: span.speaker };
  });
};

type WordRange = { from: number; to: number; word: Word };

/** The times where words and pieces are the same characters: each piece gets those of its own characters. */
const byCharacters = (
  pieces: readonly TextPiece[],
  ranges: readonly WordRange[],
  fallback: string | null,
): Span[] => {
  let at = 0;
  let index = 0;
  const seek = (position: number): WordRange | undefined => {
    while (index < ranges.length - 1 && (ranges[index]?.to ?? 0) <= position) index++;
    return ranges[index];
  };
  const timeIn = (range: WordRange, position: number): number =>
    range.word.start +
    ((range.word.end - range.word.start) * (position - range.from)) / Math.max(1, range.to - range.from);
  return pieces.map((piece) => {
    const from = at;
    at += squeeze(piece.text).length;
    const first = seek(from);
    const start = first === undefined ? 0 : timeIn(first, from);
    const last = seek(at - 1);
    const end = last === undefined ? start : timeIn(last, at);
    return { start, end, speaker: first?.word.speaker_id ?? fallback };
  });
};

const wordKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Beyond this many comparisons an edited segment is spread over its time without looking at its words. */
const MAX_COMPARISONS = 4_000_000;

/** Index of the matching word for each piece, by the longest common subsequence; -1 where there is none. */
const matchWords = (pieces: readonly string[], words: readonly string[]): number[] => {
  const columns = words.length + 1;
  const lengths = new Uint32Array((pieces.length + 1) * columns);
  const at = (i: number, j: number): number => lengths[i * columns + j] ?? 0;
  const same = (i: number, j: number): boolean => pieces[i] === words[j] && pieces[i] !== '';
  for (let i = pieces.length - 1; i >= 0; i--) {
    for (let j = words.length - 1; j >= 0; j--) {
      lengths[i * columns + j] = same(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let j = 0;
  return pieces.map((_, i) => {
    for (; j < words.length; j++) {
      if (same(i, j)) return j++;
      if (at(i + 1, j) >= at(i, j + 1)) return -1;
    }
    return -1;
  });
};

/** The times where the text was edited: words still there keep their times, the rest is spread between them. */
const byAlignment = (pieces: readonly TextPiece[], words: readonly Word[], segment: Span): Span[] => {
  if (pieces.length * words.length > MAX_COMPARISONS) return spread(pieces, segment);
  const matches = matchWords(
    pieces.map((piece) => wordKey(piece.text)),
    words.map((word) => wordKey(word.word)),
  );
  const spans: Span[] = [];
  let index = 0;
  while (index < pieces.length) {
    const word = words[matches[index] ?? -1];
    if (word !== undefined) {
      spans.push({ start: word.start, end: word.end, speaker: word.speaker_id ?? segment.speaker });
      index++;
      continue;
    }
    const from = index;
    while (index < pieces.length && (matches[index] ?? -1) < 0) index++;
    const following = words[matches[index] ?? -1];
    const before = spans.at(-1);
    const start = before?.end ?? segment.start;
    const end = Math.max(start, following?.start ?? segment.end);
    spans.push(
      ...spread(pieces.slice(from, index), { start, end, speaker: before?.speaker ?? segment.speaker }),
    );
  }
  return spans;
};

const spansOf = (segment: Segment, pieces: readonly TextPiece[]): Span[] => {
  const whole: Span = { start: segment.start, end: segment.end, speaker: segment.speaker_id };
  const words = segment.words ?? [];
  if (words.length === 0) return spread(pieces, whole);
  let at = 0;
  const ranges = words.map((word) => {
    const from = at;
    at += squeeze(word.word).length;
    return { from, to: at, word };
  });
  const spoken = words.map((word) => squeeze(word.word)).join('');
  if (spoken === pieces.map((piece) => squeeze(piece.text)).join('')) {
    return byCharacters(pieces, ranges, segment.speaker_id);
  }
  return byAlignment(pieces, words, whole);
};

const finiteOr = (value: number | undefined, fallback: number): number =>
  value !== undefined && Number.isFinite(value) ? value : fallback;

/** Every piece of the transcript with its time and speaker: times clamped to the window, never going back. */
export const timedPieces = (transcript: ExportTranscript): TimedPiece[] => {
  const window = windowOf(transcript);
  const timed: TimedPiece[] = [];
  let reached = window.start;
  for (const segment of transcript.segments) {
    const pieces = piecesOf(segment.text);
    const spans = spansOf(segment, pieces);
    pieces.forEach((piece, index) => {
      const span = spans[index];
      const before = timed.at(-1)?.text ?? '';
      const start = clamp(finiteOr(span?.start, reached), reached, window.end);
      const end = clamp(finiteOr(span?.end, start), start, window.end);
      const spaced = index === 0 ? separatorBetween(before, piece.text) !== '' : piece.spaced;
      reached = start;
      timed.push({ text: piece.text, spaced, start, end, speaker: span?.speaker ?? null });
    });
  }
  return timed;
};
