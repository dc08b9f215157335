import { ibanLength, isIban } from '../numbers/checks.ts';
import { cueAfter, hasCueBefore } from '../numbers/cues.ts';
import { type DetectedSpan, entitySpan, hiddenSpan } from '../spans.ts';
import type { Token } from '../tokens.ts';

const IBAN_START = /(?<![\p{L}\d])([A-Z]\s?[A-Z])(?=\s?\d\s?\d)/giu;
/** The start of an IBAN that may be misheard. A space after the country code needs capitals. */
const LOOSE_START = /(?<![\p{L}\d])(?:[A-Z]{2}\s?|[A-Za-z]{2}|[A-Za-z]\s[A-Za-z]\s)(?=\d\s?\d)/gu;
const GROUP = /[A-Za-z\d]+/uy;
const SEPARATOR = /(?:\s|[.-]|,\s?)/uy;
const MIN_LENGTH = 15;
const MAX_LENGTH = 34;

/**
 * Detects written and spelled IBANs in a text with digits for number words. One of valid length and check digits is reported. After a cue ("my IBAN is")
 * anything of an IBAN's shape is hidden: one misheard digit must not reveal the others.
 */
export const findIbans = (text: string, tokens: readonly Token[]): DetectedSpan[] => [
  ...findWrittenIbans(text, tokens),
  ...findCuedIbans(text, tokens),
];

const findWrittenIbans = (text: string, tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (const match of matchesIn(text, tokens, IBAN_START)) {
    const length = ibanLength((match[1] ?? '').replace(' ', '').toUpperCase());
    const end = length ? readAlphanumerics(text, match.index, length) : undefined;
    if (end === undefined) continue;
    const value = text
      .slice(match.index, end)
      .replace(/[^\p{L}\d]/gu, '')
      .toUpperCase();
    if (isIban(value)) found.push(entitySpan('iban', match.index, end, 100));
  }
  return found;
};

/** The end of the first `count` letters and digits from an offset, separated by at most two separators. */
const readAlphanumerics = (text: string, from: number, count: number): number | undefined => {
  let seen = 0;
  let gap = 0;
  for (let at = from; at < text.length; at++) {
    if (/[a-z\d]/iu.test(text[at] ?? '')) {
      seen += 1;
      gap = 0;
      if (seen === count) return at + 1;
    } else {
      gap += 1;
      if (gap > 2 || !/[\s.,-]/u.test(text[at] ?? '')) return undefined;
    }
  }
  return undefined;
};

/** Matches inside the tokens' range of the text, with offsets into the whole text. */
const matchesIn = (text: string, tokens: readonly Token[], pattern: RegExp) => {
  const from = tokens[0]?.from ?? 0;
  const to = tokens.at(-1)?.to ?? 0;
  return [...text.slice(from, to).matchAll(pattern)].map((match) => ({
    1: match[1],
    index: match.index + from,
  }));
};

const findCuedIbans = (text: string, tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (const { index: from } of matchesIn(text, tokens, LOOSE_START)) {
    const to = endOfLooseIban(text, from);
    if (to === undefined) continue;
    const first = tokens.findIndex((token) => token.to > from);
    const last = tokens.findLastIndex((token) => token.from < to);
    const cued =
      hasCueBefore(tokens, first, 'account') ||
      cueAfter(tokens, last) === 'account' ||
      /iban\P{L}*$/iu.test(text.slice(tokens[first]?.from ?? from, from));
    if (cued) found.push(hiddenSpan('iban', from, to, 90));
  }
  return found;
};

/**
 * The end of a value of an IBAN's shape: after the country's length if a group ends there, else after the last group
 * with a digit. A group of letters belongs to it in capitals or before digits.
 */
const endOfLooseIban = (text: string, from: number): number | undefined => {
  // Letter by letter, words are easily heard once too often.
  const length = ibanLength(text.slice(from, from + 2).toUpperCase());
  let seen = 0;
  let end: number | undefined;
  let at = from;
  while (seen < MAX_LENGTH) {
    const group = matchAt(GROUP, text, at);
    if (group === undefined || seen + group.length > MAX_LENGTH) break;
    const next = at + group.length;
    const separator = matchAt(SEPARATOR, text, next) ?? '';
    const isLetters = !/\d/u.test(group);
    const following = separator === '' ? undefined : matchAt(GROUP, text, next + separator.length);
    if (
      isLetters &&
      seen > 1 &&
      (group.length > 6 || !(/^[A-Z]+$/u.test(group) || /\d/u.test(following ?? '')))
    )
      break;
    seen += group.length;
    if (seen === length) return next;
    if (!isLetters && seen >= MIN_LENGTH) end = next;
    if (separator === '') break;
    at = next + separator.length;
  }
  return end;
};

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};
