import type { PiiPolicy } from '../../../contract/analysis.ts';
import type { RedactedWord } from '../../analysis/types.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';

/** A redacted value as it was said: its words follow one another. */
export type SecretValue = Span & { readonly policy: PiiPolicy; readonly words: readonly string[] };

/** Recognisers place words up to a few tenths of a second off. */
const MARGIN = 0.2;
/** Covers that nearly touch become one. */
const LEAST_GAP = 0.3;
/** Words of one value follow one another this closely. */
const WITHIN_VALUE = 1.5;

/** Puts words that were said one after the other under the same policy together. */
export const secretValues = (words: readonly RedactedWord[]): SecretValue[] => {
  const values: SecretValue[] = [];
  for (const word of words.toSorted((a, b) => a.start - b.start)) {
    const last = values.at(-1);
    if (last !== undefined && last.policy === word.policy && word.start - last.end < WITHIN_VALUE) {
      values[values.length - 1] = {
        ...last,
        end: Math.max(last.end, word.end),
        words: [...last.words, word.word],
      };
    } else values.push({ policy: word.policy, start: word.start, end: word.end, words: [word.word] });
  }
  return values;
};

/** The stretches to cover, each with a margin, in order and apart; seconds on the source's timeline. */
export const coverSpans = (values: readonly Span[], margin = MARGIN): Span[] => {
  const spans: Span[] = [];
  for (const { start, end } of values.toSorted((a, b) => a.start - b.start)) {
    const span = { start: Math.max(0, start - margin), end: end + margin };
    const last = spans.at(-1);
    if (last !== undefined && span.start - last.end < LEAST_GAP) {
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

const RUN = 4;

/** Every run of four digits of a text. */
const digitRuns = (text: string): Set<string> => {
  const digits = text.replaceAll(/\D+/g, '');
  const runs = new Set<string>();
  for (let i = 0; i + RUN <= digits.length; i++) runs.add(digits.slice(i, i + RUN));
  return runs;
};

/**
 * Whether a value can be made out in what was heard where it had been said: whole, by a word of at least
 * four letters, or by four digits in a row.
 */
export const isAudible = (value: SecretValue, heard: readonly string[]): boolean => {
  const all = heard.map(lettersAndDigits).join('');
  const whole = lettersAndDigits(value.words.join(''));
  if (whole.length >= RUN && all.includes(whole)) return true;
  const telling = value.words
    .flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))
    .map(lettersAndDigits)
    .filter((word) => word.length >= RUN || word === whole);
  const heardWords = new Set(heard.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).map(lettersAndDigits));
  if (telling.some((word) => word !== '' && heardWords.has(word))) return true;
  const runs = digitRuns(heard.join(''));
  return [...digitRuns(value.words.join(''))].some((run) => runs.has(run));
};
