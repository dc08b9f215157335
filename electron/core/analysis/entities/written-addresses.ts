import { type DetectedSpan, entitySpan, hiddenSpan } from '../spans.ts';
import { TOP_LEVEL } from './domains.ts';

/** A dot, or the dot and space that recognizers write before a common top-level domain ("example. com"). */
const DOT = String.raw`\.(?:\s(?=(?:com|org|net|edu|co|de|io|fr|es|example)\b))?`;
const LABEL = String.raw`[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?`;
/** Not inside of a mailbox: "_maria@example.com_" begins with "m". */
const MAILBOX_START = String.raw`(?<=(?:^|[^\p{L}\d._%+'-])[._%+'-]{0,8})`;
const EMAIL = new RegExp(
  String.raw`${MAILBOX_START}[\p{L}\d][\p{L}\d._%+'-]*\s?@\s?${LABEL}(?:${DOT}${LABEL})*${DOT}\p{L}{2,24}(?![\p{L}\d])`,
  'gu',
);
/** An email address whose dot is missing: hidden, not reported. */
const DAMAGED = new RegExp(
  String.raw`${MAILBOX_START}[\p{L}\d][\p{L}\d._%+-]*@[\p{L}\d][\p{L}\d.-]*(?<=[\p{L}\d])`,
  'gu',
);
/** RFC 5321: a quoted mailbox, and an address instead of a name. */
const QUOTED =
  /"[^"\n]{1,64}"@[\p{L}\d][\p{L}\d.-]*[\p{L}\d]|(?<![\p{L}\d._%+-])[\p{L}\d._%+-]{1,64}@\[[^\]\s]{2,45}\]/gu;
const OUTSIDE_PATHS = '“”„‘’«»‹›「」『』…—–`';
/** What RFC 3986 allows in a path, and letters of all scripts; quotes and closing brackets belong to the text around it. */
const PATH_SIGN = String.raw`[^\s<>"'()\[\]{}|\\^${OUTSIDE_PATHS}]`;
const SCHEME = new RegExp(String.raw`(?<![\p{L}\d])(?:https?|ftp|wss?):\/\/${PATH_SIGN}+`, 'giu');
const WWW = new RegExp(
  String.raw`(?<![\p{L}\d])www\.\s?${LABEL}(?:${DOT}${LABEL})*${DOT}\p{L}{2,12}(?![\p{L}\d])(?:\/${PATH_SIGN}*)?`,
  'giu',
);
const BARE = new RegExp(
  String.raw`(?<![\p{L}\d@.])(?:[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?\.)+(\p{L}{2,12})(?![\p{L}\d@])(?:\/${PATH_SIGN}*)?`,
  'giu',
);
/** A device's hardware address: six pairs. */
const MAC = /(?<![\p{L}\d:-])[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}(?![\p{L}\d:-])/giu;
const IPV6 = /(?<![\p{L}\d:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\p{L}\d:])/giu;

/** Detects written email addresses, URLs, IPv6 and MAC addresses (RFC 5321 and 3986, simplified). */
export const findWrittenAddresses = (text: string): DetectedSpan[] => [
  ...findEmails(text),
  ...findUrls(text),
  ...findIpv6(text),
  ...[...text.matchAll(MAC)].map(({ 0: value, index }) =>
    hiddenSpan('ip_address', index, index + value.length, 96),
  ),
];

const findEmails = (text: string): DetectedSpan[] => {
  const damaged = [...text.matchAll(DAMAGED), ...text.matchAll(QUOTED)].map((match) =>
    hiddenSpan('email_address', match.index, match.index + match[0].length, 60),
  );
  const whole = [...text.matchAll(EMAIL)].map((match) =>
    entitySpan('email_address', match.index, match.index + match[0].length, 99),
  );
  return [...damaged, ...whole];
};

const findUrls = (text: string): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (const pattern of [SCHEME, WWW]) {
    for (const match of text.matchAll(pattern)) found.push(url(match.index, match[0], 97));
  }
  for (const match of text.matchAll(BARE)) {
    const label = match[1] ?? '';
    if (TOP_LEVEL.has(label.toLowerCase()) && label !== 'At' && !isAbbreviation(match[0])) {
      found.push(url(match.index, match[0], 94));
    }
  }
  return found;
};

/** A URL without the sentence's punctuation and emphasis at its end. */
const url = (from: number, raw: string, weight: number): DetectedSpan =>
  entitySpan('url', from, from + raw.replace(/[.,;:!?*_~=]+$/u, '').length, weight);

/** Whether a dotted word is an abbreviation ("U.S.") or lacks a space after a full stop ("end.So"). */
const isAbbreviation = (value: string): boolean => {
  if (value.includes('/')) return false;
  return /^(?:\p{L}\.)+\p{L}$/u.test(value) || /^[\p{L}\d]+\.\p{Lu}\p{Ll}+$/u.test(value);
};

const findIpv6 = (text: string): DetectedSpan[] =>
  [...text.matchAll(IPV6)]
    .filter((match) => isIpv6(match[0]))
    .map((match) => entitySpan('ip_address', match.index, match.index + match[0].length, 96));

/** RFC 4291: eight groups, or fewer with one "::". "10:30:15" is not one. */
export const isIpv6 = (value: string): boolean => {
  const halves = value.toLowerCase().split('::');
  const groups = halves.flatMap((half) => half.split(':')).filter((group) => group !== '');
  if (halves.length > 2 || !groups.every((group) => /^[\da-f]{1,4}$/u.test(group))) return false;
  return halves.length === 2 ? groups.length <= 7 && groups.length >= 2 : groups.length === 8;
};
