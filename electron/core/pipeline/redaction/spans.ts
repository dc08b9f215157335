import type { PiiPolicy } from '../../../contract/analysis.ts';
import type { RedactedWord } from '../../analysis/types.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';

/** A redacted value: consecutive words under one policy. */
export type SecretValue = Span & { readonly policy: PiiPolicy; readonly words: readonly string[] };

/** Word times are up to a few tenths of a second off. */
const MARGIN = 0.2;
/** Covers closer than this are merged. */
const MIN_GAP = 0.3;
/** The longest gap between two words of one value. */
const MAX_WORD_GAP = 1.5;

/** Groups consecutive words under the same policy. */
export const secretValues = (words: readonly RedactedWord[]): SecretValue[] => {
  const values: SecretValue[] = [];
  for (const word of words.toSorted((a, b) => a.start - b.start)) {
    const last = values.at(-1);
    if (last !== undefined && last.policy === word.policy && word.start - last.end < MAX_WORD_GAP) {
      values[values.length - 1] = {
        ...last,
        end: Math.max(last.end, word.end),
        words: [...last.words, word.word],
      };
    } else values.push({ policy: word.policy, start: word.start, end: word.end, words: [word.word] });
  }
  return values;
};

/** The spans to cover: padded by `margin`, merged and in order. */
export const coverSpans = (values: readonly Span[], margin = MARGIN): Span[] => {
  const spans: Span[] = [];
  for (const { start, end } of values.toSorted((a, b) => a.start - b.start)) {
    const span = { start: Math.max(0, start - margin), end: end + margin };
    const last = spans.at(-1);
    if (last !== undefined && span.start - last.end < MIN_GAP) {
      spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    } else spans.push(span);
  }
  return spans;
};

const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Digits in a row, or letters of a word, that give a value away. */
const MIN_TELLING_LENGTH = 4;

/** Every run of MIN_TELLING_LENGTH consecutive digits of a text. */
const digitRuns = (text: string): Set<string> => {
  const digits = text.replaceAll(/\D+/g, '');
  const runs = new Set<string>();
  for (let i = 0; i + MIN_TELLING_LENGTH <= digits.length; i++)
    runs.add(digits.slice(i, i + MIN_TELLING_LENGTH));
  return runs;
};

/**
 * Whether a value is recognizable in the words heard in its place: as a whole, by a word of at least four letters, or
 * by four digits in a row.
 */
export const isAudible = (value: SecretValue, heard: readonly string[]): boolean => {
  const all = heard.map(lettersAndDigits).join('');
  const whole = lettersAndDigits(value.words.join(''));
  if (whole.length >= MIN_TELLING_LENGTH && all.includes(whole)) return true;
  const telling = value.words
    .flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))
    .map(lettersAndDigits)
    .filter((word) => word.length >= MIN_TELLING_LENGTH || word === whole);
  const heardWords = new Set(heard.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).map(lettersAndDigits));
  if (telling.some((word) => word !== '' && heardWords.has(word))) return true;
  const runs = digitRuns(heard.join(''));
  return [...digitRuns(value.words.join(''))].some((run) => runs.has(run));
};
