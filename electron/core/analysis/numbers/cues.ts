import lexicon from '../../../../resources/lexicons/cues.json' with { type: 'json' };
import type { Token } from '../tokens.ts';
import { numberWords } from './number-words.ts';

const { numbers, values } = lexicon;
/** What the words around a number say that it is. */
export type NumberCue = keyof typeof numbers;

/** Cues of values that may have letters, too. The first one that names a phrase wins. */
const OF_VALUES = {
  password: [values.password, values.pin],
  passport: [values.passport],
  license: [values.license],
  vehicle: [values.vehicle],
};

const CUE_OF = new Map<string, NumberCue>();
const addPhrases = (cue: NumberCue, byLanguage: Readonly<Record<string, readonly string[]>>): void => {
  for (const phrase of Object.values(byLanguage).flat()) if (!CUE_OF.has(phrase)) CUE_OF.set(phrase, cue);
};
addPhrases('phone', numbers.phone);
addPhrases('card', numbers.card);
addPhrases('ssn', numbers.ssn);
addPhrases('account', numbers.account);
addPhrases('routing', numbers.routing);
addPhrases('cvv', numbers.cvv);
addPhrases('expiry', numbers.expiry);
for (const cue of ['passport', 'license', 'vehicle', 'password'] as const) {
  for (const { cues } of OF_VALUES[cue]) addPhrases(cue, cues);
  addPhrases(cue, numbers[cue]);
}
addPhrases('order', numbers.order);
addPhrases('version', numbers.version);
addPhrases('ip', numbers.ip);

const REACH_BEFORE = 12;
const REACH_AFTER = 7;
/** A phrase that names the number outweighs a nearer word: "phone number on the account". */
const NAMED_BONUS = 6;
/** A cue before another number most likely belongs to that number. */
const CROSSED_PENALTY = 10;
const spokenDigits = numberWords('en').small;

/** The nearest cue before a token, else one right after the number ("… is my cell"). */
export const cueFor = (tokens: readonly Token[], first: number, last: number): NumberCue | undefined =>
  cueBefore(tokens, first) ?? cueAfter(tokens, last);

/** The nearest cue before a token, in words. Phrases that end in "number" or "code" count as nearer. */
export const cueBefore = (tokens: readonly Token[], first: number): NumberCue | undefined => {
  let best: NumberCue | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  let crossed = 0;
  for (let end = first - 1; end >= Math.max(0, first - REACH_BEFORE); end--) {
    const word = tokens[end]?.norm ?? '';
    if (/\d/u.test(word) || spokenDigits.has(word)) crossed = CROSSED_PENALTY;
    for (let length = 3; length >= 1; length--) {
      const phrase = phraseAt(tokens, end - length + 1, end);
      const cue = CUE_OF.get(phrase);
      if (!cue) continue;
      const score =
        crossed + first - 1 - end - (/(?:number|code|nummer)$/u.test(phrase) ? NAMED_BONUS : length - 1);
      if (score < bestScore) {
        best = cue;
        bestScore = score;
      }
      break;
    }
  }
  return best;
};

/** The cue right after a number: "… is my cell". */
export const cueAfter = (tokens: readonly Token[], last: number): NumberCue | undefined => {
  const links = tokens
    .slice(last + 1, last + 4)
    .findIndex((token) => /^(?:is|was|that's|as|for)$/u.test(token.norm));
  if (links < 0 || /[.!?]/u.test(tokens[last]?.trail ?? '')) return undefined;
  for (let start = last + 2 + links; start <= last + REACH_AFTER; start++) {
    for (let length = 3; length >= 1; length--) {
      const cue = CUE_OF.get(phraseAt(tokens, start, start + length - 1));
      if (cue) return cue;
    }
    if (/[.!?]/u.test(tokens[start]?.trail ?? '')) return undefined;
  }
  return undefined;
};

/** Whether a cue is within reach before a token, even if another cue is nearer. */
export const hasCueBefore = (tokens: readonly Token[], first: number, cue: NumberCue): boolean => {
  for (let end = first - 1; end >= Math.max(0, first - REACH_BEFORE); end--) {
    for (let length = 1; length <= 3; length++) {
      if (CUE_OF.get(phraseAt(tokens, end - length + 1, end)) === cue) return true;
    }
  }
  return false;
};

const phraseAt = (tokens: readonly Token[], first: number, last: number): string => {
  if (first < 0) return '';
  let phrase = '';
  for (let index = first; index <= last; index++)
    phrase += `${index > first ? ' ' : ''}${tokens[index]?.stem ?? ''}`;
  return phrase;
};
