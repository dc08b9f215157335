import { displayWidth, graphemesOf, UNSPACED_SCRIPTS } from '../base/text.ts';

/** Whitespace at which a line may break. No-break spaces (U+00A0, U+2007, U+202F) stay inside their word. */
export const BREAKING_SPACE = /[\t-\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000\ufeff]+/u;

const CONTROL = /[^\P{Cc}\t\n\v\f\r]/gu;

/**
 * Text that every format can carry: no control characters, no half of a surrogate pair.
 * Tabs and line ends stay, they are whitespace.
 */
export const cleanText = (text: string): string => text.replace(CONTROL, '').toWellFormed();

/** One line of clean text: each run of breaking whitespace becomes one space. */
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

/** The start of a text that fits into `columns`, ended with an ellipsis where something was cut off. */
export const truncateColumns = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    if (displayWidth(kept + grapheme) > columns - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
};
