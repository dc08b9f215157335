import { numberWords, smallValue } from '../numbers/number-words.ts';
import { type DetectedSpan, entitySpan } from '../spans.ts';
import type { Token } from '../tokens.ts';
import { isIpv6 } from './written-addresses.ts';

/** The letters or digits of one token of a spelled value. */
export type SpelledPart = {
  value: string;
  token: Token;
};

/**
 * The letters and digits that a token spells: "d", "89", "NWBK", "nine", "forty-one"; undefined for any other word.
 * `spelledPartsFrom` resolves "double" and "triple".
 */
const spelledValue = (token: Token, language: string): string | undefined => {
  if (token.isBlocked) return undefined;
  if (/^[a-z\d]$/iu.test(token.text) || (/\d/u.test(token.text) && /^[a-z\d-]+$/iu.test(token.text))) {
    return token.text.replaceAll('-', '').toUpperCase();
  }
  if (/^[A-Z]{2,5}$/u.test(token.text)) return token.text;
  // "B-KL 1995".
  if (/^[a-zäöü]{1,3}-[a-z]{1,2}$/iu.test(token.text) && token.trail === '')
    return token.text.replaceAll('-', '').toUpperCase();
  const vocabulary = numberWords(language);
  const values = token.norm.split('-').map((part) => smallValue(part, vocabulary));
  if (values.every((value) => value !== undefined))
    return sumTens(values.filter((value) => value !== undefined));
  return undefined;
};

const sumTens = (values: readonly number[]): string => {
  const [tens, ones] = values;
  if (values.length === 2 && tens !== undefined && ones !== undefined && tens >= 20 && ones < 10)
    return String(tens + ones);
  return values.join('');
};

/** The run of spelled letters and digits that starts at a token; skips "dash" and "space" between them. */
export const spelledPartsFrom = (
  tokens: readonly Token[],
  start: number,
  language: string,
  most = 40,
): SpelledPart[] => {
  const pieces: SpelledPart[] = [];
  const repeats = numberWords(language).repeats;
  for (let index = start; index < tokens.length && pieces.length < most; index++) {
    const token = tokens[index];
    if (!token) break;
    const times = repeats.get(token.norm);
    const next = tokens[index + 1];
    if (times !== undefined && next) {
      const value = spelledValue(next, language);
      if (value?.length !== 1) break;
      pieces.push({ value: value.repeat(times), token: next });
      index += 1;
      continue;
    }
    const value = spelledValue(token, language);
    if (value === undefined && pieces.length > 0 && /^(?:dash|hyphen|space|uh|um)$/u.test(token.norm))
      continue;
    if (value === undefined) break;
    pieces.push({ value, token });
  }
  return pieces;
};

/** Detects IPv6 addresses read out: "two zero zero one colon d b eight colon colon one". */
export const findSpelledIpv6 = (tokens: readonly Token[], language: string): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index]?.norm !== 'colon') continue;
    const start = hexStart(tokens, index, language);
    const { value, last } = readHex(tokens, start, language);
    const first = tokens[start];
    const end = tokens[last];
    if (first && end && isIpv6(value)) {
      found.push(entitySpan('ip_address', first.from, end.to, 96));
      index = last;
    }
  }
  return found;
};

const isHex = (token: Token | undefined, language: string): token is Token => {
  const value = token ? spelledValue(token, language) : undefined;
  return value !== undefined && /^[\dA-F]{1,4}$/u.test(value);
};

const hexStart = (tokens: readonly Token[], colon: number, language: string): number => {
  let start = colon;
  while (colon - start < 4 && isHex(tokens[start - 1], language)) start -= 1;
  return start;
};

const readHex = (
  tokens: readonly Token[],
  start: number,
  language: string,
): { value: string; last: number } => {
  let value = '';
  let last = start;
  for (let index = start; index < tokens.length && index < start + 60; index++) {
    const token = tokens[index];
    if (token?.norm === 'colon') value += ':';
    else if (isHex(token, language)) value += spelledValue(token, language) ?? '';
    else break;
    last = index;
  }
  return { value, last };
};
