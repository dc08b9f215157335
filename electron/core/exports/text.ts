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

/** Scripts that are written without spaces between words. Hangul is written with them. */
export const NO_SPACE_SCRIPT =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\u3001-\u303f\u30fb\u30fc\uff01-\uff65]/u;

/** Of these, the ones that put no space between sentences either. */
const NO_SPACE_AT_ALL =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\u3001-\u303f\u30fb\u30fc\uff01-\uff65]/u;

const WIDE =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}\p{Emoji_Presentation}\u3000-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6]/u;
const HALF_WIDTH = /[\uff61-\uffdc]/u;
const ZERO_WIDTH = /^[\p{M}\p{Cf}]+$/u;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The user-perceived characters of a text. */
export const graphemesOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), (part) => part.segment);

const graphemeColumns = (grapheme: string): number => {
  if (ZERO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1;
};

const ONE_COLUMN_EACH = /^[\u0020-\u007e\u00a0-\u02ff\u0370-\u0482\u048a-\u052f]*$/u;

/** Kana, Han and Hangul without marks or joiners: two columns each, and one code unit. */
const TWO_COLUMNS_EACH =
  /^[\u3001-\u3029\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/u;

/** The width of a text in columns: 2 for East Asian wide characters and emoji, 0 for marks (after UAX #11). */
export const columnsOf = (text: string): number => {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  if (TWO_COLUMNS_EACH.test(text)) return text.length * 2;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += graphemeColumns(segment);
  return columns;
};

/** The start of a text that fits into `columns`, ended with an ellipsis where something was cut off. */
export const truncateColumns = (text: string, columns: number): string => {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    if (columnsOf(kept + grapheme) > columns - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
};

const endsTight = new RegExp(`${NO_SPACE_AT_ALL.source}$`, 'u');
const startsTight = new RegExp(`^${NO_SPACE_AT_ALL.source}`, 'u');

/** Whether running text goes on without a space between these two. Only their nearest characters are looked at. */
export const isTight = (left: string, right: string): boolean =>
  endsTight.test(left.slice(-2)) && startsTight.test(right.slice(0, 2));

/** Joins texts into running text, with a space between unless their script is written without. */
export const joinTexts = (texts: readonly string[]): string => {
  const parts: string[] = [];
  let before = '';
  for (const text of texts) {
    if (text === '') continue;
    if (before !== '' && !isTight(before, text)) parts.push(' ');
    parts.push(text);
    before = text;
  }
  return parts.join('');
};

const RTL_LANGUAGES = new Set(['ar', 'he', 'fa', 'ur', 'yi', 'ps', 'sd', 'ug', 'dv', 'ckb']);
const STRONG = /[\p{L}]/u;
const RTL_LETTER = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u;

export const isRtlLanguage = (language: string | null): boolean =>
  language !== null && RTL_LANGUAGES.has(language);

/** Whether the first letter of a text is written from right to left: the rule of UAX #9, P2. */
export const startsRtl = (text: string): boolean => {
  const first = STRONG.exec(text)?.[0];
  return first !== undefined && RTL_LETTER.test(first);
};
