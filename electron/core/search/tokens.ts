/**
 * Text as the search index sees it. Words are folded here and not in SQLite, so that what is indexed, what is
 * asked for and what is marked in a snippet always agree.
 *
 * Scripts that are written without spaces become one token a character, and Hangul one a syllable: a query in
 * them is a phrase of characters, which finds words of any length. FTS5's own trigram tokenizer cannot find
 * what is shorter than three characters, and most Chinese and Japanese words are.
 */

import { UNSPACED_SCRIPTS } from '../base/text.ts';

export type Token = {
  readonly folded: string;
  /** UTF-16 code units into the text, end exclusive. */
  readonly start: number;
  readonly end: number;
};

/**
 * How the FTS5 table is to be made for `indexText`: no folding of its own, and vowel signs of Indic scripts
 * are part of their word.
 */
export const FTS_TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'";

const SINGLE = String.raw`[${UNSPACED_SCRIPTS}\p{sc=Hang}ー]`;
const WORD_CHARACTER = String.raw`\p{L}\p{N}\p{M}\p{Co}`;
const TOKEN = new RegExp(
  String.raw`${SINGLE}\p{M}*|[${WORD_CHARACTER}]+?(?=${SINGLE}|[^${WORD_CHARACTER}]|$)`,
  'gu',
);

/** Marks that do not make another letter: of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/gu;

/** Letters that Unicode does not take apart, as people without their keyboard write them. */
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

/** A word without case, width and diacritics: "Šimon" → "simon", "ＡＢＣ" → "abc". */
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

/** The tokens of a text, with their places in it. */
export const tokenize = (text: string): Token[] =>
  Array.from(text.toWellFormed().matchAll(TOKEN), (match) => ({
    folded: foldWord(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  })).filter((token) => token.folded !== '');

/** What to store in the FTS5 table for a text. */
export const indexText = (text: string): string =>
  tokenize(text)
    .map((token) => token.folded)
    .join(' ');
