import { joinTexts, separatorBetween } from '../../base/text.ts';
import type { Breathe } from '../breath.ts';
import { type PlacedWord, placeSegments, placeSegmentWords } from '../document.ts';
import type { AnalysisSegment, AnalysisTranscript, AnalysisWord, RedactedWord } from '../types.ts';
import type { PrivateSpan } from './spans.ts';
import { type Substitute, substituteFor } from './substitute.ts';

/** Where each UTF-16 unit of the old text begins and ends in the new one; -1 where it is gone. */
export type OffsetMap = {
  starts: Int32Array;
  ends: Int32Array;
};

export type Rewritten = {
  transcript: AnalysisTranscript;
  words: RedactedWord[];
  map: OffsetMap;
};

/** Segments between two turns of the event loop. */
const BATCH = 50;

/** A span's part inside one segment. `token` is what stands for it there. */
type Piece = PrivateSpan & {
  token: string;
};

/**
 * Puts substitutes into text, segments and words alike. A span over several segments leaves its hash token
 * in the first; masks stay in place. Segments that lose everything keep their place with an empty text.
 */
export const rewrite = async (
  transcript: AnalysisTranscript,
  spans: readonly PrivateSpan[],
  by: Substitute,
  breathe: Breathe,
): Promise<Rewritten> => {
  const { text, segments } = transcript;
  const places = placeSegments(text, segments);
  await breathe();
  const map = { starts: new Int32Array(text.length).fill(-1), ends: new Int32Array(text.length).fill(-1) };
  const redacted: RedactedWord[] = [];
  const texts: string[] = [];
  let length = 0;
  let previous = '';
  let next = 0;
  const rewritten: AnalysisSegment[] = [];
  for (const [index, segment] of segments.entries()) {
    if (index % BATCH === 0) await breathe();
    const place = places[index] ?? { from: 0, to: 0 };
    while ((spans[next]?.to ?? Number.POSITIVE_INFINITY) <= place.from) next += 1;
    const pieces = piecesIn(text, spans, next, place, by);
    const own = rewriteText(text, place, pieces, by.method === 'remove');
    length += previous === '' || own.text === '' ? 0 : separatorBetween(previous, own.text).length;
    note(map, own, length);
    length += own.text.length;
    if (own.text !== '') previous = own.text;
    texts.push(own.text);
    const placed = placeSegmentWords(text, place, segment, index);
    redacted.push(...redactedIn(segment, placed, pieces));
    const kept = segment.words.length > 0 ? rewriteWords(text, placed, pieces) : [];
    rewritten.push({ ...segment, text: own.text, words: kept });
  }
  return { transcript: { ...transcript, text: joinTexts(texts), segments: rewritten }, words: redacted, map };
};

const piecesIn = (
  text: string,
  spans: readonly PrivateSpan[],
  first: number,
  place: { from: number; to: number },
  by: Substitute,
): Piece[] => {
  const pieces: Piece[] = [];
  for (let index = first; index < spans.length; index++) {
    const span = spans[index];
    if (!span || span.from >= place.to) break;
    const from = Math.max(span.from, place.from);
    const to = Math.min(possessiveEnd(text, span.to, by), place.to);
    if (from >= to) continue;
    const whole = by.method === 'mask' ? text.slice(from, to) : text.slice(span.from, span.to);
    const token = by.method === 'hash' && span.from < place.from ? '' : substituteFor(whole, span.policy, by);
    pieces.push({ from, to, policy: span.policy, token });
  }
  return pieces;
};

/** With "remove", a possessive ending goes with its word. */
const possessiveEnd = (text: string, to: number, by: Substitute): number =>
  by.method === 'remove' && /^['’]s(?!\p{L})/u.test(text.slice(to, to + 3)) ? to + 2 : to;

type NewText = {
  text: string;
  /** For each old unit of the segment: its place in the segment's new text, or -1. */
  starts: number[];
  ends: number[];
  from: number;
};

const rewriteText = (
  text: string,
  place: { from: number; to: number },
  pieces: readonly Piece[],
  closing: boolean,
): NewText => {
  const starts: number[] = [];
  const ends: number[] = [];
  let out = '';
  let closes = false;
  let at = place.from;
  for (const piece of [...pieces, undefined]) {
    const stop = piece?.from ?? place.to;
    for (; at < stop; at++) {
      const sign = text[at] ?? '';
      const joined = closes ? closeUp(out, sign) : { out, keep: true };
      out = joined.out;
      starts.push(joined.keep ? out.length : -1);
      if (joined.keep) out += sign;
      ends.push(joined.keep ? out.length : -1);
      if (/[\p{L}\p{N}]/u.test(sign)) closes = false;
    }
    if (!piece) break;
    for (; at < piece.to; at++) {
      starts.push(piece.token === '' ? -1 : out.length);
      ends.push(piece.token === '' ? -1 : out.length + piece.token.length);
    }
    out += piece.token;
    closes = closing || piece.token === '';
  }
  const trimmed = out.trimEnd();
  const lead = trimmed.length - trimmed.trimStart().length;
  return {
    text: trimmed.trimStart(),
    starts: shift(starts, lead),
    ends: shift(ends, lead),
    from: place.from,
  };
};

const shift = (offsets: readonly number[], by: number): number[] =>
  offsets.map((offset) => (offset < 0 ? -1 : Math.max(0, offset - by)));

/** Spacing and punctuation after something removed: no double spaces, no space before a mark, no two commas. */
const closeUp = (out: string, sign: string): { out: string; keep: boolean } => {
  const last = out.at(-1) ?? '';
  if (/\s/u.test(sign)) return { out, keep: last !== '' && !/\s/u.test(last) };
  if (!/[,.;:!?]/u.test(sign)) return { out, keep: true };
  const bare = out.trimEnd();
  const before = bare.at(-1) ?? '';
  if (/[,;:]/u.test(sign)) return { out: bare, keep: before !== '' && !/[,.;:!?]/u.test(before) };
  if (/[,;:]/u.test(before)) return { out: bare.slice(0, -1), keep: true };
  return { out: bare, keep: before !== '' && !/[.!?]/u.test(before) };
};

const note = (map: OffsetMap, own: NewText, offset: number): void => {
  for (const [index, start] of own.starts.entries()) {
    const end = own.ends[index] ?? -1;
    if (start < 0 || end < 0) continue;
    map.starts[own.from + index] = offset + start;
    map.ends[own.from + index] = offset + end;
  }
};

const pieceOver = (word: PlacedWord, pieces: readonly Piece[]): Piece | undefined =>
  pieces.find((piece) => piece.from < word.to && word.from < piece.to);

const redactedIn = (
  segment: AnalysisSegment,
  placed: readonly PlacedWord[],
  pieces: readonly Piece[],
): RedactedWord[] =>
  placed.flatMap((word) => {
    const piece = pieceOver(word, pieces);
    if (!piece) return [];
    return [{ segment: segment.id, word: word.word, start: word.start, end: word.end, policy: piece.policy }];
  });

/**
 * Words with the same substitutes: a hash token becomes one word over the time of those it stands for.
 * A word that differs from the text (edited by a person) follows the text, which is the truth.
 */
const rewriteWords = (
  text: string,
  placed: readonly PlacedWord[],
  pieces: readonly Piece[],
): AnalysisWord[] => {
  const out: AnalysisWord[] = [];
  let current: { piece: Piece; word: AnalysisWord } | undefined;
  for (const word of placed) {
    const piece = pieceOver(word, pieces);
    const { word: _own, segment: _segment, index: _index, from, to, ...times } = word;
    if (!piece) {
      current = undefined;
      if (to > from) out.push({ ...times, word: text.slice(from, to) });
      continue;
    }
    const before = text.slice(from, Math.max(from, piece.from));
    const after = remainder(text, word, piece, pieces);
    const masked =
      piece.token !== '' && piece.token.length === piece.to - piece.from && !piece.token.startsWith('[');
    if (masked) {
      out.push({ ...times, word: maskedWord(text, word, pieces) });
    } else if (current?.piece === piece) {
      current.word.word += after;
      current.word.end = Math.max(current.word.end, word.end);
    } else if (piece.token !== '') {
      const merged = { ...times, word: before + piece.token + after };
      out.push(merged);
      current = { piece, word: merged };
    } else {
      leave(out, times, before + after);
    }
  }
  return out;
};

/** What of a word stands after the piece, with further pieces in the same word replaced as well. */
const remainder = (text: string, word: PlacedWord, piece: Piece, pieces: readonly Piece[]): string => {
  let rest = '';
  let at = piece.to;
  for (const next of pieces) {
    if (next.from < piece.to || next.from >= word.to) continue;
    rest += text.slice(at, next.from) + next.token;
    at = next.to;
  }
  return rest + text.slice(at, Math.max(at, word.to));
};

const maskedWord = (text: string, word: PlacedWord, pieces: readonly Piece[]): string => {
  let out = '';
  let at = word.from;
  for (const piece of pieces) {
    if (piece.to <= word.from || piece.from >= word.to) continue;
    const from = Math.max(piece.from, word.from);
    const to = Math.min(piece.to, word.to);
    out += text.slice(at, from) + piece.token.slice(from - piece.from, to - piece.from);
    at = to;
  }
  return out + text.slice(at, word.to);
};

/** What is left of a removed word: letters stay as a word, marks go to the word before. */
const leave = (out: AnalysisWord[], times: Omit<AnalysisWord, 'word'>, rest: string): void => {
  if (/[\p{L}\p{N}]/u.test(rest)) {
    out.push({ ...times, word: rest });
    return;
  }
  const last = out.at(-1);
  const mark = /[.!?]/u.exec(rest)?.[0];
  if (last && mark && !/[.!?]$/u.test(last.word)) last.word = last.word.replace(/[,;:]$/u, '') + mark;
};
