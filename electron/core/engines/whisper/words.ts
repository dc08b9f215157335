import { clamp, mean, roundMs } from '../../base/numbers.ts';
import { blankOutMarks } from './marks.ts';
import { type Character, charactersOf } from './token-times.ts';
import type { WhisperSegment } from './types.ts';

export type Word = {
  /** With the punctuation that belongs to it. */
  word: string;
  /** Seconds on the segment's own timeline. */
  start: number;
  end: number;
  /** 0 to 1: the geometric mean of its tokens' probabilities. */
  confidence: number;
  /** Whether a space stands before it; false within scripts that are written without spaces. */
  spaceBefore: boolean;
};

export type CleanSegment = {
  text: string;
  start: number;
  end: number;
  words: Word[];
  /** 0 to 1: the mean of its words'. */
  confidence: number;
  noSpeechProbability: number;
  averageLogprob: number;
};

/** Scripts written without spaces between words: Han, Kana, Thai, Lao, Khmer, Burmese, Tibetan. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const HAS_WORD = /[\p{L}\p{N}]/u;
/** Punctuation that belongs to the word behind it, where it stands alone. */
const OPENING = /^[\p{Ps}\p{Pi}¿¡]+$/u;
/** Symbols that are said, and so are words although they have no letter. */
const SPOKEN = /^[\p{Sc}+=%&@#°]+$/u;
const SHORTEST_WORD = 0.05;

/** A stretch of characters, `from` inclusive to `to` exclusive. */
type Span = { from: number; to: number; spaceBefore: boolean };

/** Splits at white space. */
const spacedSpans = (text: string): Span[] =>
  [...text.matchAll(/\S+/gu)].map(({ 0: part, index }) => ({
    from: index,
    to: index + part.length,
    spaceBefore: index > 0,
  }));

const segmenterFor = (language: string): Intl.Segmenter => {
  const [locale = 'en'] = Intl.Segmenter.supportedLocalesOf([language, 'en']);
  return new Intl.Segmenter(locale, { granularity: 'word' });
};

/** Splits a stretch of a script without spaces into words, by the language's dictionary. */
const unspacedSpans = (text: string, span: Span, language: string): Span[] => {
  const part = text.slice(span.from, span.to);
  if (!UNSPACED.test(part)) return [span];
  return [...segmenterFor(language).segment(part)].map(({ segment, index }) => ({
    from: span.from + index,
    to: span.from + index + segment.length,
    spaceBefore: index === 0 && span.spaceBefore,
  }));
};

/** Joins what is punctuation alone to the word before it, or to the one behind it where it opens something. */
const attachPunctuation = (text: string, spans: Span[]): Span[] => {
  const words: Span[] = [];
  let opening: Span | undefined;
  for (const span of spans) {
    const part = text.slice(span.from, span.to);
    const isWord = HAS_WORD.test(part) || SPOKEN.test(part);
    const last = words.at(-1);
    if (isWord) {
      words.push(opening ? { ...span, from: opening.from, spaceBefore: opening.spaceBefore } : span);
      opening = undefined;
    } else if (OPENING.test(part) || !last) {
      opening ??= span;
    } else if (opening) {
      opening = { ...opening, to: span.to };
    } else {
      last.to = span.to;
    }
  }
  const last = words.at(-1);
  if (opening && last) last.to = opening.to;
  return words;
};

/** The mean of the logarithms, over each token once, as a probability. */
const confidenceOf = (characters: Character[]): number => {
  const byToken = new Map(characters.map(({ token, probability }) => [token, probability]));
  const logs = [...byToken.values()].map((probability) => Math.log(clamp(probability, 1e-6, 1)));
  return Math.exp(mean(logs));
};

/**
 * Times that never fall, lie inside the segment, do not overlap, and give every word a moment where the next
 * one leaves room: whisper's times of tokens drift, go backwards and have no length.
 */
const orderTimes = (words: Word[], start: number, end: number): Word[] => {
  let earliest = start;
  const ordered = words.map((word) => {
    const from = clamp(word.start, earliest, end);
    const to = clamp(word.end, from, end);
    earliest = from;
    return { ...word, start: from, end: to };
  });
  return ordered.map((word, index) => {
    const next = ordered[index + 1]?.start ?? end;
    const stretched = word.end - word.start < SHORTEST_WORD ? next : word.end;
    return { ...word, start: roundMs(word.start), end: roundMs(Math.min(stretched, next)) };
  });
};

/** The text of words, as it was written: with spaces only where there were some. */
export const joinWords = (words: readonly Pick<Word, 'word' | 'spaceBefore'>[]): string =>
  words.map(({ word, spaceBefore }, index) => (spaceBefore && index > 0 ? ` ${word}` : word)).join('');

const wordsOf = (segment: WhisperSegment, language: string): Word[] => {
  const characters = charactersOf(segment);
  const raw = characters.map(({ text }) => text).join('');
  const text = blankOutMarks(raw);
  const spans = spacedSpans(text).flatMap((span) => unspacedSpans(text, span, language));
  const words = attachPunctuation(text, spans).map(({ from, to, spaceBefore }): Word => {
    const own = characters.slice(from, to);
    return {
      word: text.slice(from, to).replace(/\s+/gu, ' '),
      start: own[0]?.start ?? segment.start,
      end: own.at(-1)?.end ?? segment.end,
      confidence: confidenceOf(own),
      spaceBefore,
    };
  });
  return orderTimes(words, segment.start, segment.end);
};

/**
 * A recognised segment as words with times and without marks such as `[BLANK_AUDIO]`; undefined where nothing
 * was said. `text` is exactly the words joined.
 * @param language of the text, for scripts whose words only a dictionary can tell apart.
 */
export const cleanSegment = (segment: WhisperSegment, language: string): CleanSegment | undefined => {
  const words = wordsOf(segment, language);
  if (words.length === 0) return undefined;
  return {
    text: joinWords(words),
    start: roundMs(segment.start),
    end: roundMs(segment.end),
    words,
    confidence: mean(words.map(({ confidence }) => confidence)),
    noSpeechProbability: segment.noSpeechProbability,
    averageLogprob: segment.averageLogprob,
  };
};
