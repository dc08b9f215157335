import stringWidth from 'string-width';
import { UNSPACED_SCRIPTS } from '../base/text.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The grapheme clusters of a text: what its readers call characters (UAX #29). */
export const graphemesOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * Latin, Greek, Cyrillic, Hebrew, Arabic, the scripts of India, Thai, Lao, and punctuation: one column and one code unit each,
 * none for marks. Without signs that change their neighbors' width (joiners, variation selectors, Arabic number signs).
 */
const NARROW =
  /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u052f\u0591-\u05f4\u0606-\u061b\u061e-\u06dc\u0900-\u0e7f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e]*$/u;
const MARKS = /[\p{Mn}\p{Me}]/gu;
/** Kana, Han and Hangul without combining marks: two columns and one code unit each. */
const WIDE =
  /^[\u3001-\u3029\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/u;

/**
 * The width of a text in columns: 2 for East Asian wide characters and emoji, 0 for marks (UAX #11). As string-width counts,
 * with shortcuts for what nearly all words consist of: subtitles measure each word of a transcript many times.
 */
export const displayWidth = (text: string): number => {
  if (NARROW.test(text)) return text.replaceAll(MARKS, '').length;
  if (WIDE.test(text)) return text.length * 2;
  return stringWidth(text, { countAnsiEscapeCodes: true });
};

/** White space that separates words. No-break spaces (U+00A0, U+2007, U+202F) are part of their word. */
export const BREAKING_SPACE = /[\t-\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000\ufeff]+/u;

const CONTROL = /[^\P{Cc}\t\n\v\f\r]/gu;

/** Removes control characters, but for tabs and line ends, and lone surrogates, which not every format can carry. */
export const cleanText = (text: string): string => text.replace(CONTROL, '').toWellFormed();

/** Clean text on one line: each run of breaking white space becomes a space. */
export const oneLine = (text: string): string =>
  cleanText(text)
    .split(BREAKING_SPACE)
    .filter((part) => part !== '')
    .join(' ');

/** A character of a script without spaces between words, or of its punctuation. Hangul is written with spaces. */
export const UNSPACED = new RegExp(
  String.raw`[${UNSPACED_SCRIPTS}\u3001-\u303f\u30fb\u30fc\uff01-\uff65]`,
  'u',
);

/** Truncates a text to a display width, with an ellipsis. */
export const truncateToWidth = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    if (displayWidth(kept + grapheme) > columns - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
};
