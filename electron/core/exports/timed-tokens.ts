/**
 * Aligns the tokens of a transcript's text with its words' times. The text wins if the two differ, since a person
 * may have edited it.
 */

import type { Segment, Word } from '../../contract/segments.ts';
import { clamp } from '../base/numbers.ts';
import { separatorBetween } from '../base/text.ts';
import type { ExportTranscript } from './document.ts';
import { BREAKING_SPACE, cleanText, displayWidth, graphemesOf, UNSPACED } from './text.ts';

/**
 * Splits text at its break opportunities: at spaces, and in scripts without them between the words of Unicode's
 * segmentation (UAX #29), with the rules of JIS X 4051 (no closing mark starts a line, no opening mark ends one).
 */
export type TextToken = {
  readonly text: string;
  readonly hasSpaceBefore: boolean;
};

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

const CANNOT_BEGIN =
  /^[\p{Pe}\p{Pf}\p{M}、。，．・：；？！‥…ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々〻ゝゞヽヾ〜～%％℃°,.!?;:'"”’)\]}]/u;
const CANNOT_END = /[\p{Ps}\p{Pi}£$¥€￥＄#＃]$/u;
const ONLY_CLOSING = /^[\p{Pe}\p{Pf}!?;:%…»]+$/u;
const ONLY_OPENING = /^[\p{Ps}\p{Pi}¿¡«]+$/u;

const ENDS_UNSPACED = new RegExp(`${UNSPACED.source}$`, 'u');
const STARTS_UNSPACED = new RegExp(`^${UNSPACED.source}`, 'u');

const STARTS_HIRAGANA = /^\p{sc=Hira}/u;
const STARTS_KATAKANA = /^\p{sc=Kana}/u;
const ENDS_KATAKANA = /[\p{sc=Kana}ー]$/u;
const ENDS_LETTER = /\p{L}$/u;
const ENDS_DIGIT = /\d$/u;
/** Particles that close a phrase wherever the dictionary finds them. */
const CLOSES_PHRASE = /^(?:は|を|から|まで|ので|けど|けれど)$/u;
const LONE_HIRAGANA = /^\p{sc=Hira}$/u;
/** A verb's stem, and the verbs that follow one as its second half: 走り出す, 申し込む. */
const ENDS_STEM = /\p{sc=Han}[いきぎしちびみりえけげせべめれ]$/u;
const SECOND_VERB = /^[出込続始終直過合切上下付回返替越]/u;

/**
 * Whether Japanese may break here. The dictionary's words are smaller than a reader's: endings in hiragana belong to what is
 * before them (`送って|くだ|さい`), as do parts of a loan word (`スカイ|ツリー`) and what is counted (`3|時`).
 */
const isPhraseBreak = (left: string, right: string, leftWord: string): boolean => {
  if (ENDS_DIGIT.test(left)) return false;
  if (STARTS_HIRAGANA.test(right))
    return !ENDS_LETTER.test(left) || (CLOSES_PHRASE.test(leftWord) && !LONE_HIRAGANA.test(right));
  if (ENDS_STEM.test(left) && SECOND_VERB.test(right)) return false;
  return !(ENDS_KATAKANA.test(left) && STARTS_KATAKANA.test(right));
};

const isBreakOpportunity = (left: string, right: string, leftWord: string): boolean => {
  if (CANNOT_BEGIN.test(right) || CANNOT_END.test(left) || !isPhraseBreak(left, right, leftWord))
    return false;
  return ENDS_UNSPACED.test(left.slice(-2)) || STARTS_UNSPACED.test(right.slice(0, 2));
};

/** Splits text without white space. */
const splitUnspaced = (run: string): string[] => {
  if (!UNSPACED.test(run)) return [run];
  const tokens: string[] = [];
  let word = '';
  for (const { segment } of wordSegmenter.segment(run)) {
    const last = tokens.at(-1);
    if (last !== undefined && !isBreakOpportunity(last, segment, word))
      tokens[tokens.length - 1] = last + segment;
    else tokens.push(segment);
    word = segment;
  }
  return tokens;
};

/** Keeps spaced punctuation (French "Bonjour !") with its word. */
const attachPunctuation = (runs: readonly string[]): string[] => {
  const glued: string[] = [];
  let opening = '';
  for (const run of runs) {
    const last = glued.at(-1);
    if (opening === '' && last !== undefined && ONLY_CLOSING.test(run))
      glued[glued.length - 1] = `${last} ${run}`;
    else if (ONLY_OPENING.test(run)) opening = opening === '' ? run : `${opening} ${run}`;
    else {
      glued.push(opening === '' ? run : `${opening} ${run}`);
      opening = '';
    }
  }
  if (opening !== '') glued.push(opening);
  return glued;
};

/** The tokens of a text, in order. Joined, they are the text without its white space. */
export const tokenizeText = (text: string): TextToken[] => {
  const runs = cleanText(text)
    .split(BREAKING_SPACE)
    .filter((run) => run !== '');
  return attachPunctuation(runs).flatMap((run) =>
    splitUnspaced(run).map((token, index) => ({ text: token, hasSpaceBefore: index === 0 })),
  );
};

const AFTER_SEPARATOR = /[-/\\._?&=+,:@–—]$/u;

/** Where the dictionary's words end, in UTF-16 units. */
const wordEnds = (text: string): ReadonlySet<number> =>
  new Set(
    UNSPACED.test(text)
      ? [...wordSegmenter.segment(text)].flatMap(({ segment, index }) =>
          CANNOT_BEGIN.test(text.slice(index + segment.length)) ? [] : [index + segment.length],
        )
      : [],
  );

/**
 * Splits text wider than `columns` after a separator or a word of the dictionary in the second half, else at the last character
 * that fits.
 */
export const splitToWidth = (text: string, columns: number): string[] => {
  if (displayWidth(text) <= columns) return [text.trim()].filter((part) => part !== '');
  // Segmented once, since a word may have 100,000 characters.
  const all = graphemesOf(text);
  const widths = all.map(displayWidth);
  const ends = wordEnds(text);
  const parts: string[] = [];
  let offset = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    let width = 0;
    let separator = from;
    let reached = offset;
    while (to < all.length && (to === from || width + (widths[to] ?? 0) <= columns)) {
      width += widths[to] ?? 0;
      reached += all[to]?.length ?? 0;
      to++;
      const isSeparator = AFTER_SEPARATOR.test(all[to - 1] ?? '') || ends.has(reached);
      if (width >= columns / 2 && isSeparator) separator = to;
    }
    // What is left fits, so no separator needs to be looked for.
    const cut = to < all.length && separator > from ? separator : to;
    const part = all.slice(from, cut).join('');
    parts.push(part);
    offset += part.length;
    from = cut;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
};

export type TimedToken = TextToken & {
  /** Seconds on the source's timeline. Starts never go back, `end >= start`. */
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  /** Null if the segment's is not known. */
  readonly language: string | null;
  /** Set by a person: whether a paragraph begins here. Absent: speakers and pauses decide. */
  readonly startsParagraph?: boolean;
  /** The segment and its words that the token has a part of, from 0; -1 for none. */
  readonly segment: number;
  readonly firstWord: number;
  readonly lastWord: number;
};

type Span = { start: number; end: number; speaker: string | null };

export type TimeRange = { readonly start: number; readonly end: number };

const withoutSpaces = (text: string): string => cleanText(text).split(BREAKING_SPACE).join('');

/** The transcribed range of the source's timeline, in seconds. */
export const transcribedRange = (transcript: ExportTranscript): TimeRange => {
  const start = Math.max(0, transcript.audio_start_from ?? 0);
  if (transcript.duration > 0) return { start, end: start + transcript.duration };
  const ends = transcript.segments.map((segment) => segment.end).filter(Number.isFinite);
  return { start, end: ends.reduce((latest, end) => Math.max(latest, end), start) };
};

/** Distributes a span over tokens in proportion to their width. */
const spreadByWidth = (tokens: readonly TextToken[], span: Span): Span[] => {
  const widths = tokens.map((token) => displayWidth(token.text) + 1);
  const total = widths.reduce((sum, width) => sum + width, 0);
  let at = span.start;
  return widths.map((width) => {
    const start = at;
    at += ((span.end - span.start) * width) / total;
    return { start, end: at, speaker: span.speaker };
  });
};

type WordRange = { from: number; to: number; word: Word };

/** Times of tokens whose characters are exactly those of the words: interpolated inside each word. */
const alignByCharacters = (
  tokens: readonly TextToken[],
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
  return tokens.map((token) => {
    const from = at;
    at += withoutSpaces(token.text).length;
    const first = seek(from);
    const start = first === undefined ? 0 : timeIn(first, from);
    const last = seek(at - 1);
    const end = last === undefined ? start : timeIn(last, at);
    return { start, end, speaker: first?.word.speaker_id ?? fallback };
  });
};

const wordKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Beyond this many comparisons an edited segment's tokens are distributed over its time by width. */
const MAX_COMPARISONS = 4_000_000;

/** For each token the index of its word in the longest common subsequence, or -1. */
const matchWords = (tokens: readonly string[], words: readonly string[]): number[] => {
  const columns = words.length + 1;
  const lengths = new Uint32Array((tokens.length + 1) * columns);
  const at = (i: number, j: number): number => lengths[i * columns + j] ?? 0;
  const same = (i: number, j: number): boolean => tokens[i] === words[j] && tokens[i] !== '';
  for (let i = tokens.length - 1; i >= 0; i--) {
    for (let j = words.length - 1; j >= 0; j--) {
      lengths[i * columns + j] = same(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let j = 0;
  return tokens.map((_, i) => {
    for (; j < words.length; j++) {
      if (same(i, j)) return j++;
      if (at(i + 1, j) >= at(i, j + 1)) return -1;
    }
    return -1;
  });
};

/** Times of an edited text: unchanged words keep theirs, the tokens between them share what is left. */
const alignByWords = (tokens: readonly TextToken[], words: readonly Word[], segment: Span): Span[] => {
  if (tokens.length * words.length > MAX_COMPARISONS) return spreadByWidth(tokens, segment);
  const matches = matchWords(
    tokens.map((token) => wordKey(token.text)),
    words.map((word) => wordKey(word.word)),
  );
  const spans: Span[] = [];
  let index = 0;
  while (index < tokens.length) {
    const word = words[matches[index] ?? -1];
    if (word !== undefined) {
      spans.push({ start: word.start, end: word.end, speaker: word.speaker_id ?? segment.speaker });
      index++;
      continue;
    }
    const from = index;
    while (index < tokens.length && (matches[index] ?? -1) < 0) index++;
    const following = words[matches[index] ?? -1];
    const before = spans.at(-1);
    const start = before?.end ?? segment.start;
    const end = Math.max(start, following?.start ?? segment.end);
    spans.push(
      ...spreadByWidth(tokens.slice(from, index), {
        start,
        end,
        speaker: before?.speaker ?? segment.speaker,
      }),
    );
  }
  return spans;
};

const alignTokens = (segment: Segment, tokens: readonly TextToken[]): Span[] => {
  const whole: Span = { start: segment.start, end: segment.end, speaker: segment.speaker_id };
  const words = segment.words ?? [];
  if (words.length === 0) return spreadByWidth(tokens, whole);
  let at = 0;
  const ranges = words.map((word) => {
    const from = at;
    at += withoutSpaces(word.word).length;
    return { from, to: at, word };
  });
  const spoken = words.map((word) => withoutSpaces(word.word)).join('');
  if (spoken === tokens.map((token) => withoutSpaces(token.text)).join('')) {
    return alignByCharacters(tokens, ranges, segment.speaker_id);
  }
  return alignByWords(tokens, words, whole);
};

type WordsOfToken = { readonly first: number; readonly last: number; readonly begun: readonly number[] };

/** The words that each token has a part of, and those that begin in it, by characters: tokens and words may differ in number. */
const wordsOfTokens = ({ words = [] }: Segment, tokens: readonly TextToken[]): WordsOfToken[] => {
  const ends: number[] = [];
  for (const { word } of words) ends.push((ends.at(-1) ?? 0) + withoutSpaces(word).length);
  const isAfter = (word: number, place: number) => word < ends.length && (ends[word] ?? 0) <= place;
  let place = 0;
  let word = 0;
  let next = 0;
  return tokens.map((token) => {
    while (isAfter(word, place)) word++;
    const first = word;
    place += withoutSpaces(token.text).length;
    while (isAfter(word, place - 1)) word++;
    const begun: number[] = [];
    for (; next < ends.length && (ends[next - 1] ?? 0) < place; next++) begun.push(next);
    return first < ends.length
      ? { first, last: Math.min(word, ends.length - 1), begun }
      : { first: -1, last: -1, begun };
  });
};

const finiteOr = (value: number | undefined, fallback: number): number =>
  value !== undefined && Number.isFinite(value) ? value : fallback;

/** All tokens of the transcript with their speakers and times, clamped to the transcribed range; starts never go back. */
export const timeTokens = (transcript: ExportTranscript): TimedToken[] => {
  const window = transcribedRange(transcript);
  const timed: TimedToken[] = [];
  let reached = window.start;
  for (const [place, segment] of transcript.segments.entries()) {
    const tokens = tokenizeText(segment.text);
    const spans = alignTokens(segment, tokens);
    const places = wordsOfTokens(segment, tokens);
    const wanted = segment.paragraph_starts && new Set(segment.paragraph_starts);
    tokens.forEach((token, index) => {
      const span = spans[index];
      const before = timed.at(-1)?.text ?? '';
      const start = clamp(finiteOr(span?.start, reached), reached, window.end);
      const end = clamp(finiteOr(span?.end, start), start, window.end);
      const spaced = index === 0 ? separatorBetween(before, token.text) !== '' : token.hasSpaceBefore;
      reached = start;
      const { first, last, begun } = places[index] ?? { first: -1, last: -1, begun: [] };
      const startsParagraph = wanted && begun.some((word) => wanted.has(word));
      timed.push({
        text: token.text,
        hasSpaceBefore: spaced,
        start,
        end,
        speaker: span?.speaker ?? null,
        language: segment.language,
        ...(startsParagraph === undefined ? {} : { startsParagraph }),
        segment: place,
        firstWord: first,
        lastWord: last,
      });
    });
  }
  return timed;
};
