import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { languageOfText } from '../../analysis/language-of-text.ts';
import { toSamples } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import { clamp } from '../../base/numbers.ts';
import { formatClock } from '../../base/time.ts';
import type { LanguageGuess } from '../../engines/whisper/types.ts';
import type { PipelineModel } from '../deps.ts';
import { without } from './speech-map.ts';
import type { SpeechRegion } from './speech-regions.ts';
import type { RecognizedSegment } from './words.ts';

/** Fewer words may be a name or a title. */
const MIN_WORDS = 8;
/** A region is not cut into halves shorter than this; seconds. */
const MIN_HALF_SECONDS = 4;
/** Most places that the warning names. */
const MAX_PLACES = 10;

type Text = Pick<RecognizedSegment, 'text' | 'words'>;

/**
 * Whether a text is English that should be in `language`. Models of the Parakeet family, which take no language, drift into
 * English in the middle of another one.
 */
export const hasDrifted = async (segments: readonly Text[], language: string | null): Promise<boolean> => {
  if (language === null || language === 'auto' || language === 'en') return false;
  const words = segments.reduce((sum, segment) => sum + segment.words.length, 0);
  if (words < MIN_WORDS) return false;
  const detected = await languageOfText(segments.map(({ text }) => text).join(' '));
  return detected?.language === 'en';
};

const part = (region: SpeechRegion, start: number, end: number): SpeechRegion => ({
  start,
  end,
  pcm: region.pcm.subarray(toSamples(start - region.start), toSamples(end - region.start)),
  speech: region.speech.filter((span) => span.start < end && span.end > start),
});

/**
 * Cuts a region in the pause nearest to its middle, undefined if there is none: a model that has drifted comes back when
 * it begins anew.
 */
export const halvesOf = (region: SpeechRegion): [SpeechRegion, SpeechRegion] | undefined => {
  const middle = (region.start + region.end) / 2;
  const [cut] = without(region, region.speech)
    .map(({ start, end }) => (start + end) / 2)
    .filter((at) => at - region.start >= MIN_HALF_SECONDS && region.end - at >= MIN_HALF_SECONDS)
    .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  return cut === undefined ? undefined : [part(region, region.start, cut), part(region, cut, region.end)];
};

/** A warning that names where the text of a transcript is English in spite of its language. */
export const driftWarning = async (
  { id, capabilities }: Pick<PipelineModel, 'id' | 'capabilities'>,
  language: string | null,
  segments: readonly RecognizedSegment[],
): Promise<StoredWarning[]> => {
  if (capabilities.takesLanguage) return [];
  const places: string[] = [];
  for (const segment of segments) {
    if (places.length === MAX_PLACES) break;
    if (await hasDrifted([segment], language)) places.push(formatClock(segment.start));
  }
  if (places.length === 0) return [];
  return [
    warningOf('english_written', { model: id, places: places.join(', '), language: language ?? 'und' }),
  ];
};

/** ISO 639-1, and its probability from 0 to 1. */
export type DetectedLanguage = { readonly language: string; readonly confidence: number };

/** The languages that a recording may be in; without `expected`, any. */
export type LanguageChoice = {
  readonly expected?: readonly string[] | undefined;
  /** For a recording in another language; default: the likeliest of `expected`. */
  readonly fallback?: string | undefined;
  /** How probable the language must be, 0 to 1; default: no matter. */
  readonly threshold?: number | undefined;
  /** For a language below `threshold`; default: `error`. */
  readonly onLowConfidence?: 'error' | 'fallback' | undefined;
};

/** Throws `language_uncertain` for a language that is less probable than it must be, unless another one takes its place. */
const requireConfidence = (
  { language, confidence }: DetectedLanguage,
  { threshold = 0, onLowConfidence }: LanguageChoice,
): void => {
  if (confidence >= threshold || onLowConfidence === 'fallback') return;
  const percent = (share: number): string => `${Math.floor(share * 100)} %`;
  throw new AppError(
    'language_uncertain',
    `The language of this recording is “${language}” with a probability of ${percent(confidence)}, and the request asks for ${percent(threshold)}.`,
  );
};

/**
 * The language to recognize a recording in, and the probability that it is spoken. Throws `language_uncertain`; never for
 * the fallback, which the request names.
 */
export const chooseLanguage = (
  { language, probabilities }: LanguageGuess,
  choice: LanguageChoice = {},
): DetectedLanguage => {
  const { expected, fallback, threshold = 0 } = choice;
  const withConfidence = (code: string) => ({ language: code, confidence: probabilities[code] ?? 0 });
  const byProbability = expected?.map(withConfidence).toSorted((a, b) => b.confidence - a.confidence);
  const likeliest = byProbability?.[0] ?? withConfidence(language);
  const isExpected = expected === undefined || expected.includes(language);
  const detected = isExpected ? withConfidence(language) : likeliest;
  if (!isExpected && fallback !== undefined) return withConfidence(fallback);
  requireConfidence(detected, choice);
  if (detected.confidence >= threshold || fallback === undefined) return detected;
  return withConfidence(fallback);
};

/** A region in which several languages are spoken rarely makes the model as sure of one. */
export const SURE = 0.98;
/** Less speech than this keeps the language of what was said before it; seconds. */
export const MIN_SPOKEN = 1.5;
/** What a change of the language costs: a natural logarithm. */
const CHANGE = 1.75;
/** A second of speech is easily heard as a language that no one speaks, and its own then as next to impossible. */
const MIN_PROBABILITY = 0.05;
/** Speech whose probabilities count as they are, in seconds; longer counts more, up to twice as much. */
const FULL_WEIGHT = 2;

/** A stretch of speech, and how probable each language is in it. */
export type HeardLanguage = {
  /** Seconds of speech. */
  readonly seconds: number;
  readonly probabilities: LanguageGuess['probabilities'];
};

/** The probabilities of the languages that may be spoken. */
export const amongExpected = (
  probabilities: LanguageGuess['probabilities'],
  expected: readonly string[] | undefined,
): LanguageGuess['probabilities'] => {
  if (expected === undefined) return probabilities;
  const total = expected.reduce((sum, code) => sum + (probabilities[code] ?? 0), 0);
  return Object.fromEntries(
    expected.map((code) => [code, total === 0 ? 1 / expected.length : (probabilities[code] ?? 0) / total]),
  );
};

const likeliest = (probabilities: LanguageGuess['probabilities']): DetectedLanguage =>
  Object.entries(probabilities).reduce<DetectedLanguage>(
    (best, [language, confidence]) => (confidence > best.confidence ? { language, confidence } : best),
    { language: 'en', confidence: 0 },
  );

/** Whether `language` is spoken in all of a stretch, beyond doubt. */
export const isSettled = (
  language: string,
  { seconds, probabilities }: HeardLanguage,
  previous: string | null,
): boolean =>
  (probabilities[language] ?? 0) >= SURE &&
  (seconds >= MIN_SPOKEN || previous === null || previous === language);

/** The languages of what was said before and after some speech; null or undefined if they are not known. */
export type Neighbors = { readonly previous: string | null; readonly next?: string | null };

/**
 * The language of each of several stretches in a row: the likeliest course of them (Viterbi), in which each change has to be
 * worth it. What is short or uncertain follows its neighbors.
 */
export const languagesOf = (
  stretches: readonly HeardLanguage[],
  { previous, next = null }: Neighbors,
): string[] => {
  const languages = [
    ...new Set([
      ...stretches.map(({ probabilities }) => likeliest(probabilities).language),
      ...(previous === null ? [] : [previous]),
    ]),
  ];
  const worth = ({ seconds, probabilities }: HeardLanguage, language: string): number =>
    Math.log(Math.max(MIN_PROBABILITY, probabilities[language] ?? 0)) * clamp(seconds / FULL_WEIGHT, 0, 2);
  type Course = { readonly languages: readonly string[]; readonly score: number };
  const better = (a: Course, b: Course): Course => (b.score > a.score ? b : a);
  const start: Course = { languages: [], score: 0 };
  const courses = stretches.reduce<readonly Course[]>(
    (before, stretch) =>
      languages.map((language) => {
        const { languages: earlier, score } = before
          .map((course) => {
            const last = course.languages.at(-1) ?? previous ?? language;
            return { ...course, score: course.score - (last === language ? 0 : CHANGE) };
          })
          .reduce(better);
        return { languages: [...earlier, language], score: score + worth(stretch, language) };
      }),
    [start],
  );
  const ended = courses.map(({ languages, score }) => ({
    languages,
    score: score - (next === null || languages.at(-1) === next ? 0 : CHANGE),
  }));
  return [...ended.reduce(better, { languages: [], score: -Infinity }).languages];
};
