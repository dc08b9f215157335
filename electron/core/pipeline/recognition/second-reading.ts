import { mean, round } from '../../base/numbers.ts';
import { joinTexts } from '../../base/text.ts';
import type { StoredWord } from '../../stores/segments.ts';
import { type AlignedPair, alignWords } from './align-words.ts';

/** What stands around a word: punctuation before and after it. */
const AROUND = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su;

const around = (word: string) => {
  const [, before = '', core = word, after = ''] = AROUND.exec(word) ?? [];
  return { before, core, after };
};

/** Without case and signs: "E-mail," and "email" are one word. */
const keyOf = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '') || word;

const confidenceOf = (words: readonly StoredWord[]): number =>
  mean(words.map(({ confidence }) => confidence));

/** The probability that a word is right on which two independent readings agree: that not both are wrong. */
const agreed = (a: number, b: number): number => round(1 - (1 - a) * (1 - b), 4);

type Pairs = readonly AlignedPair[];

const ownOf = (pairs: Pairs): number[] => pairs.flatMap(([i]) => (i === null ? [] : [i]));
const heardOf = (pairs: Pairs): number[] => pairs.flatMap(([, j]) => (j === null ? [] : [j]));

/**
 * The places of two readings: each word that is the same, and each run between such words. Words that only the second
 * reading has join the word before them, else the one after them, which carries them; `unattached` if there is none.
 */
const placesOf = (pairs: Pairs, isSame: (pair: AlignedPair) => boolean) => {
  const runs: AlignedPair[][] = [];
  let wasSame = true;
  for (const pair of pairs) {
    const same = isSame(pair);
    const last = runs.at(-1);
    if (same || wasSame || last === undefined) runs.push([pair]);
    else last.push(pair);
    wasSame = same;
  }
  const places: AlignedPair[][] = [];
  let leading: AlignedPair[] = [];
  for (const run of runs) {
    const last = places.at(-1);
    if (ownOf(run).length > 0) places.push([...leading.splice(0), ...run]);
    else if (last === undefined) leading = run;
    else last.push(...run);
  }
  return { places, unattached: heardOf(leading) };
};

/** The heard words with the punctuation that the first reading has around its word. */
const punctuatedLike = (word: string, heard: readonly StoredWord[]): string => {
  if (heard.length === 0) return '';
  const texts = heard.map((each, index) => {
    const { before, core, after } = around(each.word);
    return `${index === 0 ? '' : before}${core}${index === heard.length - 1 ? '' : after}`;
  });
  const { before, after } = around(word);
  return `${before}${joinTexts(texts)}${after}`;
};

/** Each own word of a place, with the heard words that belong to it: its counterpart, and those beside it without one. */
const partsOf = (pairs: Pairs): Map<number, number[]> => {
  const parts = new Map<number, number[]>();
  const leading: number[] = [];
  let last: number[] = leading;
  for (const [i, j] of pairs) {
    if (i !== null) {
      last = leading.splice(0);
      parts.set(i, last);
    }
    if (j !== null) last.push(j);
  }
  return parts;
};

export type SecondReading = {
  /** The words of the first reading, in their number and order. */
  readonly words: StoredWord[];
  /** Words of the second reading where the first has none at all. */
  readonly unattached: readonly StoredWord[];
};

/**
 * Compares what two models heard in one chunk of audio. Words on which they agree get a higher confidence; words on which
 * they differ keep theirs and carry the other reading as an alternative, an empty one where the second model heard
 * nothing. Neighboring words with alternatives are one place: their alternatives belong together.
 */
export const compareReadings = (
  words: readonly StoredWord[],
  heard: readonly StoredWord[],
  model: string,
): SecondReading => {
  const [keys, heardKeys] = [words, heard].map((reading) => reading.map(({ word }) => keyOf(word)));
  const isEqual = (i: number, j: number): boolean => keys?.[i] === heardKeys?.[j];
  const wordsAt = (indices: readonly number[]) => indices.flatMap((j) => heard[j] ?? []);
  const compared = words.map((word) => ({ ...word }));
  const { places, unattached } = placesOf(
    alignWords(words, heard, isEqual),
    ([i, j]) => i !== null && j !== null && isEqual(i, j),
  );
  for (const place of places) {
    const own = ownOf(place);
    const other = wordsAt(heardOf(place));
    const confidence = confidenceOf(other.length > 0 ? other : heard);
    const isAgreed =
      own.map((i) => keys?.[i] ?? '').join('') === other.map(({ word }) => keyOf(word)).join('');
    for (const [i, part] of partsOf(place)) {
      const word = compared[i];
      if (word === undefined) continue;
      const mine = wordsAt(part);
      if (isAgreed) word.confidence = agreed(word.confidence, confidence);
      else {
        const certainty = round(mine.length > 0 ? confidenceOf(mine) : confidence, 4);
        word.alternatives = [{ text: punctuatedLike(word.word, mine), model, confidence: certainty }];
      }
    }
  }
  return { words: compared, unattached: wordsAt(unattached) };
};
