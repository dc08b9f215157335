import { UNSPACED_SCRIPTS } from '../base/text.ts';
import { displayWidth, graphemesOf } from './display-width.ts';

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
