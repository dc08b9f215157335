/**
 * Tokenizer of the search index. Folding happens here and not in SQLite, so that index, query and snippet agree.
 *
 * In unspaced scripts each character is a token, in Hangul each syllable: a query is then a phrase of characters, which
 * matches words of any length. FTS5's trigram tokenizer does not match fewer than three characters, and most Chinese
 * and Japanese words are shorter.
 */

import { UNSPACED_SCRIPTS } from '../base/text.ts';

const MIN_LENGTH = 3;
const MAX_LENGTH = 40;

/** Edits that still make a likely mistyping of a word of this length. */
export const maxEdits = (length: number): number =>
  length < MIN_LENGTH || length > MAX_LENGTH ? 0 : length < 5 ? 1 : 2;

/**
 * Insertions, deletions, substitutions and swaps of neighbors that make `b` from `a` (optimal string alignment distance;
 * Damerau, 1964), counted up to `limit + 1`.
 */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
};

/** Words from nearest to farthest among those within the edits that `maxEdits` allows; equals keep their order. */
export const nearestWords = (word: string, words: readonly string[]): string[] => {
  const limit = maxEdits(word.length);
  if (limit === 0) return [];
  return words
    .map((each) => ({ each, distance: editDistance(word, each, limit) }))
    .filter(({ distance }) => distance > 0 && distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .map(({ each }) => each);
};

export type Token = {
  readonly folded: string;
  /** UTF-16 code units into the text, end exclusive. */
  readonly start: number;
  readonly end: number;
};

/** The `tokenize` option of the FTS5 table: no folding, and combining marks (Indic vowel signs) are part of words. */
export const FTS_TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'";

const LONG_VOWEL = 'ー';
const SINGLE = String.raw`[${UNSPACED_SCRIPTS}\p{sc=Hang}${LONG_VOWEL}]`;
const WORD_CHARACTER = String.raw`\p{L}\p{N}\p{M}\p{Co}`;
const TOKEN = new RegExp(
  String.raw`${SINGLE}\p{M}*|[${WORD_CHARACTER}]+?(?=${SINGLE}|[^${WORD_CHARACTER}]|$)`,
  'gu',
);

/** Combining marks that searches ignore: Latin, Greek and Cyrillic diacritics, Hebrew points, Arabic vowel signs. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/gu;

/** ASCII spellings of letters that have no Unicode decomposition. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

const ASCII = /^[ -~]*$/;

/** Removes case, width and diacritics: "Šimon" → "simon", "ＡＢＣ" → "abc". */
export const foldWord = (word: string): string =>
  // Most words are ASCII, which only has case to fold, and normalizing takes most of the time.
  ASCII.test(word)
    ? word.toLowerCase()
    : word
        .normalize('NFKD')
        .toLowerCase()
        .normalize('NFKD')
        .replace(DIACRITICS, '')
        .normalize('NFC')
        .replace(/[ßæœøłđðþı]/gu, (letter) => SPELLED[letter] ?? letter);

export const tokenize = (text: string): Token[] =>
  Array.from(text.toWellFormed().matchAll(TOKEN), (match) => ({
    folded: foldWord(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  })).filter((token) => token.folded !== '');

/** The text to store in the FTS5 table. */
export const indexText = (text: string): string =>
  tokenize(text)
    .map((token) => token.folded)
    .join(' ');
