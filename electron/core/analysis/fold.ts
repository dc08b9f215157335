import { TOP_LEVEL } from './entities/domains.ts';
import { SPOKEN_SIGNS } from './spoken-signs.ts';

/** A text in the form that detectors read, and the way back to the offsets of the original. */
export type FoldedText = {
  text: string;
  toOriginal: <Span extends { from: number; to: number }>(span: Span) => Span;
};

/** Replaces the range `from` (inclusive) to `to` (exclusive), in UTF-16 units. */
export type Edit = {
  from: number;
  to: number;
  by: string;
};

/**
 * Folds spellings that hide a value from detectors: NFKC for letters and digits (full-width, mathematical, decomposed),
 * digits of all scripts to ASCII, rare dashes, invisible characters; then separators of numbers, "(at)", "password =",
 * "passport no." and full stops inside spoken addresses. The text itself is not changed: detected spans map back.
 */
export const foldText = (original: string): FoldedText => {
  const characters = applyEdits(original, characterEdits(original));
  const patterns = applyEdits(characters.text, patternEdits(characters.text));
  return {
    text: patterns.text,
    toOriginal: (span) => characters.toOriginal(patterns.toOriginal(span)),
  };
};

/** Applies disjoint edits in text order. A span that touches an edited range covers all of it. */
export const applyEdits = (text: string, edits: readonly Edit[]): FoldedText => {
  if (edits.length === 0) return { text, toOriginal: (span) => span };
  const starts: number[] = [];
  const ends: number[] = [];
  const parts: string[] = [];
  let at = 0;
  const keepUntil = (to: number) => {
    parts.push(text.slice(at, to));
    for (; at < to; at++) {
      starts.push(at);
      ends.push(at + 1);
    }
  };
  for (const { from, to, by } of edits) {
    keepUntil(from);
    parts.push(by);
    for (let index = 0; index < by.length; index++) {
      starts.push(from);
      ends.push(to);
    }
    at = to;
  }
  keepUntil(text.length);
  return {
    text: parts.join(''),
    toOriginal: (span) =>
      span.to > span.from
        ? { ...span, from: starts[span.from] ?? text.length, to: ends[span.to - 1] ?? text.length }
        : span,
  };
};

/** Zero-width characters, the soft hyphen and directional marks. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;
/** What may need folding: anything but ASCII, and letters with combining marks. */
const FOLDABLE = /[^\p{ASCII}\p{M}]\p{M}*|\p{ASCII}\p{M}+/gu;
const SIGNS = new Map<string, string>([
  ...['\u2010', '\u2011', '\u2012', '\u2043', '\u2212', '\ufe58', '\ufe63', '\uff0d'].map(
    (dash) => [dash, '-'] as const,
  ),
  ...[...'＠．／：＋＿＝＃（）'].map((sign) => [sign, sign.normalize('NFKC')] as const),
  ['﹫', '@'],
  ['№', 'no '],
]);

const characterEdits = (text: string): Edit[] => {
  const edits: Edit[] = [];
  for (const { 0: cluster, index } of text.matchAll(FOLDABLE)) {
    const by = foldCluster(cluster);
    if (by !== cluster) edits.push({ from: index, to: index + cluster.length, by });
  }
  return edits;
};

const foldCluster = (cluster: string): string => {
  const sign = SIGNS.get(cluster);
  if (sign !== undefined) return sign;
  if (INVISIBLE.test(cluster)) return cluster.replace(INVISIBLE, '');
  if (/^\p{Nd}/u.test(cluster)) return digitValue(cluster);
  if (!/^[\p{L}\p{N}]/u.test(cluster)) return cluster;
  const plain = cluster.normalize('NFKC');
  return /^[\p{Script=Latin}\d]+$/u.test(plain) ? plain : cluster;
};

/** The ASCII digit: Unicode encodes the decimal digits of a script in a row from zero. */
const digitValue = (cluster: string): string => {
  const plain = cluster.normalize('NFKC');
  if (/^\d$/u.test(plain)) return plain;
  const code = cluster.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
};

const patternEdits = (text: string): Edit[] => {
  const edits = [
    ...separatorEdits(text),
    ...oddNumberEdits(text),
    ...gluedNumberWordEdits(text),
    ...replaceAll(text, JOINED_AT, '@'),
    ...replaceAll(text, JOINED_DOT, '.'),
    ...replaceAll(text, BRACKETED_AT, '@'),
    ...replaceAll(text, BRACKETED_DOT, '.'),
    ...replaceAll(text, ASSIGNMENT, ': '),
    ...replaceAll(text, ABBREVIATED_NUMBER, ' '),
    ...spokenAddressEdits(text),
  ].sort((a, b) => a.from - b.from || b.to - a.to);
  let end = 0;
  return edits.filter(({ from, to }) => {
    if (from < end) return false;
    end = to;
    return true;
  });
};

const replaceAll = (text: string, pattern: RegExp, by: string): Edit[] =>
  [...text.matchAll(pattern)].map((match) => ({ from: match.index, to: match.index + match[0].length, by }));

/** Groups of digits joined by signs: "555 - 014 - 2367", "555_014_2367", "0761/1234567". */
const JOINED_GROUPS = /(?<![\d.])\d{1,19}(?:(?:\s?[-–—―_·]\s?|\s?\/\s?|[,，])\d{1,19})+(?![\d.]?\d)/gu;
const JOINT = /\s?[-–—―_·/,，]\s?/gu;
const YEAR = /^(?:19|20)\d\d$/u;

/** Rewrites the signs between the digits of one number as "-". Dates, quantities and ranges of years stay. */
const separatorEdits = (text: string): Edit[] =>
  [...text.matchAll(JOINED_GROUPS)].flatMap((match) => {
    if (!isJoinedNumber(match[0])) return [];
    return replaceAll(match[0], JOINT, '-')
      .filter(({ from, to }) => match[0].slice(from, to) !== '-')
      .map(({ from, to, by }) => ({ from: from + match.index, to: to + match.index, by }));
  });

const isJoinedNumber = (value: string): boolean => {
  const groups = value.match(/\d+/gu) ?? [];
  const length = groups.join('').length;
  if (length < 7 || length > 34) return false;
  if (/^(?:\d{1,2}\/\d{1,2}\/\d{2,4}|\d{4}\/\d{1,2}\/\d{1,2})$/u.test(value)) return false;
  if (/^\d{1,3}(?:[,，]\d{3})+$/u.test(value)) return false;
  if (groups.length > 2) return !groups.every((group) => YEAR.test(group));
  const mayBeDecimal = /[,，]/u.test(value) && groups.some((group) => group.length < 4);
  return !mayBeDecimal && !groups.every((group) => YEAR.test(group));
};

/** A telephone number with unusual signs ("555*014*2367") or letters for digits ("555-O14-2367"). */
const ODD_NUMBER =
  /(?<![\p{L}\d.:+*=-])[\dOoIl]{3}([-. ]|\s?(?:[*+:=]|[→⇒]|->)\s?)[\dOoIl]{3}\1[\dOoIl]{4}(?![\p{L}\d]|[.:+*=-]\d)/gu;
const LOOKALIKES: Readonly<Record<string, string>> = { O: '0', o: '0', I: '1', l: '1' };

const oddNumberEdits = (text: string): Edit[] =>
  [...text.matchAll(ODD_NUMBER)].flatMap(({ 0: value, 1: sign = '', index }) => {
    if ((value.match(/\d/gu) ?? []).length < 7) return [];
    const signs = /^[-. ]$/u.test(sign) ? [] : replaceAll(value, /[^\p{L}\d]+/gu, '-');
    const letters = [...value.matchAll(/[OoIl]/gu)].map((letter) => ({
      from: letter.index,
      to: letter.index + 1,
      by: LOOKALIKES[letter[0]] ?? '',
    }));
    return [...signs, ...letters].map(({ from, to, by }) => ({ from: from + index, to: to + index, by }));
  });

const ENGLISH_DIGIT = 'zero|oh|one|two|three|four|five|six|seven|eight|nine';
const GLUED_DIGITS = new RegExp(String.raw`(?<![\p{L}\d])(?:${ENGLISH_DIGIT}){4,34}(?![\p{L}\d])`, 'giu');

/** "fivefivefive" as "five five five". */
const gluedNumberWordEdits = (text: string): Edit[] =>
  [...text.matchAll(GLUED_DIGITS)].flatMap(({ 0: value, index }) =>
    [...value.matchAll(new RegExp(ENGLISH_DIGIT, 'giu'))].map((word) => ({
      from: index + word.index,
      to: index + word.index + word[0].length,
      by: `${word[0]} `,
    })),
  );

const DOT_WORDS = SPOKEN_SIGNS['.'].join('|');
const AT_WORDS = SPOKEN_SIGNS['@'].join('|');
/** "(at)" between a mailbox and something with a dot. */
const BRACKETED_AT = new RegExp(
  String.raw`(?<=[\p{L}\d])\s?[([{<]\s?(?:${AT_WORDS}|a)\s?[)\]}>]\s?(?=[\p{L}\d][\p{L}\d-]{0,60}(?:\.\p{L}|\s?[([{<]\s?(?:${DOT_WORDS})|\s(?:${DOT_WORDS})\s))`,
  'giu',
);
const BRACKETED_DOT = new RegExp(
  String.raw`(?<=[\p{L}\d])\s?[([{<]\s?(?:${DOT_WORDS}|\.)\s?[)\]}>]\s?(?=[\p{L}\d])`,
  'giu',
);
/** "maria_at_example_dot_com". */
const JOINED_AT = new RegExp(
  String.raw`(?<=[\p{L}\d])([_-])(?:${AT_WORDS})\1(?=[\p{L}\d]{1,60}\1(?:${DOT_WORDS})\1\p{L})`,
  'giu',
);
const JOINED_DOT = new RegExp(
  String.raw`(?<=([_-])(?:${AT_WORDS})\1[\p{L}\d]{1,60})\1(?:${DOT_WORDS})\1(?=\p{L})`,
  'giu',
);
/** "password = x", "pin->x", "login:x". */
const ASSIGNMENT =
  /(?<=(?<![\p{L}\d?&_])(?:password|passcode|passphrase|passwd|pwd|pw|pass|pin|pin code|username|user name|user id|login|passwort|kennwort|benutzername|mot de passe|contraseña|usuario|passport|license|licence|reisepass|führerschein|passeport|pasaporte|phone|tel|telefon|teléfono|téléphone|email|e-mail|ssn))(?:\s?(?:=>|:=|->|→|=)\s?|:(?=\S))/giu;
/** The full stop of "no." before a code. */
const ABBREVIATED_NUMBER =
  /(?<=(?<![\p{L}\d])(?:no|nr|num|núm|nro|n))(?:\.:?\s?[º°]?|[º°]):?\s?(?=#?\p{L}{0,3}[ -]?\d)/giu;

const LAST_LABEL = new RegExp(
  String.raw`(?<![\p{L}\d])(?:${DOT_WORDS})[.,]?\s+(\p{L}{2,12})(?![\p{L}\d])`,
  'giu',
);
const LINK_WORD = new RegExp(`^(?:${Object.values(SPOKEN_SIGNS).flat().join('|')})[.,]?$`, 'iu');
/** Longest stretch before the last "dot", in UTF-16 units. */
const MAX_ADDRESS_LENGTH = 120;

/** Removes full stops and commas next to the words of signs: "maria dot lopez at example. dot com". */
const spokenAddressEdits = (text: string): Edit[] => {
  const found = new Map<number, Edit>();
  for (const match of text.matchAll(LAST_LABEL)) {
    if (!TOP_LEVEL.has((match[1] ?? '').toLowerCase())) continue;
    const end = match.index + match[0].length;
    const start = Math.max(0, match.index - MAX_ADDRESS_LENGTH);
    const words = [...text.slice(start, end).matchAll(/\S+/gu)];
    for (const [index, word] of words.entries()) {
      const next = words[index + 1]?.[0] ?? '';
      const isInside = LINK_WORD.test(word[0]) || (LINK_WORD.test(next) && !/^\p{Lu}/u.test(next));
      if (next === '' || !isInside || !/[\p{L}\d][.,]$/u.test(word[0])) continue;
      const from = start + word.index + word[0].length - 1;
      found.set(from, { from, to: from + 1, by: '' });
    }
  }
  return [...found.values()];
};
