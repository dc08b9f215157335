import type { SpeakingRate } from '../../contract/analysis.ts';
import { mean, round, roundMs } from '../base/numbers.ts';
import { joinTexts } from '../base/text.ts';
import {
  CLOSING_ABBREVIATIONS,
  LEADING_ABBREVIATIONS,
  ORDINAL_LEADS,
  SENTENCE_STARTERS,
} from './abbreviations.ts';
import { type LocatedWord, locateWords } from './offsets.ts';
import type { AnalysisSegment } from './types.ts';

export type SentenceWord = {
  word: string;
  start: number;
  end: number;
  confidence: number;
};

/** `id` counts from 1; times are seconds; `confidence` is the mean of the words'. */
export type Sentence = {
  id: number;
  text: string;
  start: number;
  end: number;
  confidence: number;
  words: SentenceWord[];
};

/** A sentence with its offsets in the transcript's text and its speaker. */
export type LocatedSentence = Sentence & {
  from: number;
  to: number;
  speaker_id: string | null;
  /** The place of the segment in which it begins. */
  segment: number;
};

export type SentenceStatistics = {
  average_confidence: number;
  words_per_minute: number;
  speaking_rate: SpeakingRate;
};

const CLOSERS = /["'”’»›)\]」』）]+$/u;
const HARD_END = /[!?。！？．؟।॥۔]$/u;
const ELLIPSIS_END = /(?:\.\.+|…)$/u;
const LONG_PAUSE_S = 2;
const CLEAR_PAUSE_S = 0.6;
const SMALL_PAUSE_S = 0.25;
const MAX_RUN_WORDS = 40;
const MIN_PART_WORDS = 5;
/** Longer than any mark or abbreviation: of a word only this many last characters are tested. */
const MAX_ENDING = 40;

/**
 * Splits a transcript into sentences across segments; every word is in exactly one. A punctuation mark ends a sentence
 * unless it belongs to an abbreviation, an initial, a German ordinal, a list number or an inner quotation. A change of
 * speaker or a pause of 2 s also ends one. More than 40 words without a mark are split at the longest pauses.
 * Abbreviations: English, German, French and Spanish.
 */
export const splitSentences = (segments: readonly AnalysisSegment[]): Sentence[] => {
  const text = joinTexts(segments.map((segment) => segment.text));
  return locateSentences(text, segments).map(({ id, text: own, start, end, confidence, words }) => {
    return { id, text: own, start, end, confidence, words };
  });
};

/** Like `splitSentences`, with offsets in `text` and speakers. */
export const locateSentences = (text: string, segments: readonly AnalysisSegment[]): LocatedSentence[] => {
  const words = locateWords(text, segments);
  const runs: LocatedWord[][] = [];
  let run: LocatedWord[] = [];
  for (const [index, word] of words.entries()) {
    run.push(word);
    const next = words[index + 1];
    if (!next || endsSentence(run, word, next, segments)) {
      runs.push(...cutLongRun(run));
      run = [];
    }
  }
  return runs.map((own, index) => toLocatedSentence(index + 1, own, runs[index + 1]?.[0], text, segments));
};

/** Mean confidence, and words per minute of speech, pauses between segments excluded. */
export const sentenceStatistics = (segments: readonly AnalysisSegment[]): SentenceStatistics => {
  const words = segments.flatMap((segment) => segment.words);
  const spoken = segments.reduce((sum, segment) => sum + Math.max(0, segment.end - segment.start), 0);
  const count =
    words.length > 0 ? words.length : segments.flatMap((segment) => segment.text.match(/\S+/gu) ?? []).length;
  const rate = spoken > 0 ? (count * 60) / spoken : 0;
  return {
    average_confidence: roundMs(mean(words.map((word) => word.confidence))),
    words_per_minute: round(rate, 1),
    speaking_rate: rate < 110 ? 'slow' : rate > 170 ? 'fast' : 'normal',
  };
};

const toLocatedSentence = (
  id: number,
  words: readonly LocatedWord[],
  following: LocatedWord | undefined,
  text: string,
  segments: readonly AnalysisSegment[],
): LocatedSentence => {
  const first = words[0];
  const last = words.at(-1);
  if (!first || !last) throw new RangeError('a sentence has at least one word');
  const reach = following ? following.from : text.length;
  const to = Math.max(last.to, first.from + text.slice(first.from, reach).trimEnd().length);
  const own = text.slice(first.from, to).trim();
  return {
    id,
    text: own === '' ? joinTexts(words.map(({ word }) => word)) : own,
    start: first.start,
    end: words.reduce((latest, word) => Math.max(latest, word.end), first.start),
    confidence: roundMs(mean(words.map((word) => word.confidence))),
    words: words.map(({ word, start, end, confidence }) => ({ word, start, end, confidence })),
    from: first.from,
    to,
    speaker_id: speakerOf(first, segments),
    segment: first.segment,
  };
};

const speakerOf = (word: LocatedWord, segments: readonly AnalysisSegment[]): string | null =>
  word.speaker_id ?? segments[word.segment]?.speaker_id ?? null;

const endsSentence = (
  run: readonly LocatedWord[],
  word: LocatedWord,
  next: LocatedWord,
  segments: readonly AnalysisSegment[],
): boolean => {
  const speaker = speakerOf(word, segments);
  const nextSpeaker = speakerOf(next, segments);
  if (speaker !== nextSpeaker && speaker !== null && nextSpeaker !== null) return true;
  const pause = next.start - word.end;
  if (pause >= LONG_PAUSE_S) return true;
  const ending = word.word.slice(-MAX_ENDING);
  // Most words end like this: the tests below would take half the time of a long text.
  if (/[a-z0-9]$/i.test(ending)) return false;
  const bare = ending.replace(CLOSERS, '');
  const quoted = bare !== ending;
  const nextBare = next.word.slice(0, MAX_ENDING).replace(/^["'“‘«‹¿¡([「『（]+/u, '');
  const startsLower = /^\p{Ll}/u.test(nextBare);
  if (HARD_END.test(bare)) return !(quoted && startsLower);
  if (ELLIPSIS_END.test(bare)) return !startsLower || pause >= CLEAR_PAUSE_S;
  if (!bare.endsWith('.')) return false;
  return fullStopEndsSentence(run, bare.slice(0, -1), nextBare, pause);
};

/** Whether the full stop after `stem` ends the sentence, rather than an abbreviation, initial or number. */
const fullStopEndsSentence = (
  run: readonly LocatedWord[],
  stem: string,
  next: string,
  pause: number,
): boolean => {
  const key = stem.replace(/^["'“‘«‹(]+/u, '').toLowerCase();
  const previous = run.at(-2)?.word ?? '';
  const starts =
    /^[\p{Lu}\p{Lt}]/u.test(next) && SENTENCE_STARTERS.has(next.toLowerCase().replace(/[^\p{L}']/gu, ''));
  if (LEADING_ABBREVIATIONS.has(key) && (key.length > 1 || run.length === 1)) {
    return key === 'no' && (!/^\d/u.test(next) || run.length === 1);
  }
  if (CLOSING_ABBREVIATIONS.has(key)) return starts || (/^\p{Lu}/u.test(next) && pause >= CLEAR_PAUSE_S);
  if (/^\p{Ll}$/u.test(stem)) return false;
  if (/^\p{Lu}$/u.test(stem) && stem !== 'I') return starts;
  if (/^\p{Lu}(?:\.\p{Lu})+$/u.test(stem)) return starts || pause >= CLEAR_PAUSE_S;
  if (/^\d{1,2}$/u.test(stem)) {
    if (run.length === 1) return false;
    if (ORDINAL_LEADS.has(previous.toLowerCase())) return false;
    if (/^\d/u.test(next) && pause < SMALL_PAUSE_S) return false;
  }
  return !(pause < SMALL_PAUSE_S && /^(?:com|org|net|edu|gov|io|de|fr|es|uk)\b/u.test(next));
};

/** Splits a run without marks into parts of at most 40 words, each time at the longest pause within reach. */
const cutLongRun = (run: LocatedWord[]): LocatedWord[][] => {
  const parts: LocatedWord[][] = [];
  let rest = run;
  while (rest.length > MAX_RUN_WORDS) {
    const at = longestPause(rest);
    if (at < 0) break;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
};

/** Index of the word after the longest pause among the first 40 words, else after the first later pause; -1 for none. */
const longestPause = (run: readonly LocatedWord[]): number => {
  let best = 0;
  let at = -1;
  for (let index = MIN_PART_WORDS; index <= run.length - MIN_PART_WORDS; index++) {
    if (index > MAX_RUN_WORDS && at >= 0) return at;
    const left = run[index - 1];
    const right = run[index];
    if (!left || !right) continue;
    const comma = /[,;:，、；]$/u.test(left.word) ? 0.15 : 0;
    const border = left.segment === right.segment ? 0 : 0.1;
    const pause = right.start - left.end + comma;
    if (pause >= SMALL_PAUSE_S && pause + border > best) {
      best = pause + border;
      at = index;
    }
  }
  return at;
};
