/** Scripts written without spaces between words, for use inside a regular expression's character class. */
export const UNSPACED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}`;

/** Of these, the scripts whose sentences we join without a space as well; for use inside a character class. */
export const CONTINUOUS_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}`;

/** CJK punctuation, and full-width and half-width forms. */
const CJK_FORMS = String.raw`\u3000-\u303f\uff00-\uffef`;
const ENDS_CONTINUOUS = new RegExp(`[${CONTINUOUS_SCRIPTS}${CJK_FORMS}]$`, 'u');
const STARTS_CONTINUOUS = new RegExp(`^[${CONTINUOUS_SCRIPTS}${CJK_FORMS}]`, 'u');

/** Whether a text ends, or begins, in a script whose sentences are joined without a space. */
export const endsContinuous = (text: string): boolean => ENDS_CONTINUOUS.test(text.slice(-2));
export const startsContinuous = (text: string): boolean => STARTS_CONTINUOUS.test(text.slice(0, 2));

/** The separator between two texts: none in Chinese, Japanese and Thai or beside an empty text, else a space. */
export const separatorBetween = (left: string, right: string): '' | ' ' => {
  if (left === '' || right === '') return '';
  return endsContinuous(left) && startsContinuous(right) ? '' : ' ';
};

/** Joins texts, trimmed, into running text: a transcript's `text` from its segments' texts. */
export const joinTexts = (texts: readonly string[]): string => {
  const parts: string[] = [];
  let previous = '';
  for (const text of texts) {
    const part = text.trim();
    if (part === '') continue;
    parts.push(separatorBetween(previous, part), part);
    previous = part;
  }
  return parts.join('');
};

const RTL_LANGUAGES = new Set(['ar', 'he', 'fa', 'ur', 'yi', 'ps', 'sd', 'ug', 'dv', 'ckb']);
const LETTER = /\p{L}/u;
const RTL_LETTER = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u;

export const isRtlLanguage = (language: string | null): boolean =>
  language !== null && RTL_LANGUAGES.has(language);

/** Whether the first letter of a text is written from right to left: the rule of UAX #9, P2. */
export const startsRtl = (text: string): boolean => {
  const first = LETTER.exec(text)?.[0];
  return first !== undefined && RTL_LETTER.test(first);
};

/** A pattern that matches the text itself, for expressions with the flag u. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
