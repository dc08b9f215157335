import { type DetectedSpan, entitySpan } from '../spans.ts';
import type { Token } from '../tokens.ts';
import { isIpv6 } from './written-addresses.ts';

/** The letters or digits of one token of a spelled value. */
export type SpelledPart = {
  value: string;
  token: Token;
};

/** The letters and digits of a token of a spelled value: "d", "89", "NWBK", "B-KL"; undefined for any other word. */
const spelledValue = ({ text, trail, isBlocked }: Token): string | undefined => {
  if (isBlocked) return undefined;
  const isPart =
    /^[a-z\d]$|^[a-z\d-]*\d[a-z\d-]*$/iu.test(text) ||
    /^[A-Z]{2,5}$/u.test(text) ||
    (/^[a-zäöü]{1,3}-[a-z]{1,2}$/iu.test(text) && trail === '');
  return isPart ? text.replaceAll('-', '').toUpperCase() : undefined;
};

/** The run of letters and digits that starts at a token; skips "dash" and "space" between them. */
export const spelledPartsFrom = (tokens: readonly Token[], start: number, most = 40): SpelledPart[] => {
  const pieces: SpelledPart[] = [];
  for (const token of tokens.slice(start)) {
    const value = spelledValue(token);
    if (value === undefined && pieces.length > 0 && /^(?:dash|hyphen|space|uh|um)$/u.test(token.norm))
      continue;
    if (value === undefined || pieces.length >= most) break;
    pieces.push({ value, token });
  }
  return pieces;
};

/** Detects IPv6 addresses read out: "2 0 0 1 colon d b 8 colon colon 1", with digits for words. */
export const findSpelledIpv6 = (tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index]?.norm !== 'colon') continue;
    const start = hexStart(tokens, index);
    const { value, last } = readHex(tokens, start);
    const first = tokens[start];
    const end = tokens[last];
    if (first && end && isIpv6(value)) {
      found.push(entitySpan('ip_address', first.from, end.to, 96));
      index = last;
    }
  }
  return found;
};

const isHex = (token: Token | undefined): token is Token => {
  const value = token ? spelledValue(token) : undefined;
  return value !== undefined && /^[\dA-F]{1,4}$/u.test(value);
};

const hexStart = (tokens: readonly Token[], colon: number): number => {
  let start = colon;
  while (colon - start < 4 && isHex(tokens[start - 1])) start -= 1;
  return start;
};

const readHex = (tokens: readonly Token[], start: number): { value: string; last: number } => {
  let value = '';
  let last = start;
  for (let index = start; index < tokens.length && index < start + 60; index++) {
    const token = tokens[index];
    if (token?.norm === 'colon') value += ':';
    else if (isHex(token)) value += spelledValue(token) ?? '';
    else break;
    last = index;
  }
  return { value, last };
};
