import { smallValueInAnyLanguage } from '../numbers/number-words.ts';
import { type DetectedSpan, entitySpan } from '../spans.ts';
import { SPOKEN_SIGNS } from '../spoken-signs.ts';
import type { Token } from '../tokens.ts';
import { HOST_WORDS, MAIL_HOSTS, NEVER_LABEL, ROLES, TOP_LEVEL, WORD_LIKE } from './domains.ts';

const DOT = new Set<string>([...SPOKEN_SIGNS['.'], '.']);
const AT = new Set<string>([...SPOKEN_SIGNS['@'], '@']);
const DASH = new Set<string>(SPOKEN_SIGNS['-']);
const SLASH = new Set<string>(SPOKEN_SIGNS['/']);
/** Signs that join the parts of a mailbox. */
const LINKS = new Set<string>([
  'bas',
  'bajo',
  'basso',
  'baixo',
  ...SPOKEN_SIGNS['.'],
  ...SPOKEN_SIGNS['-'],
  ...SPOKEN_SIGNS._,
  'plus',
]);
const MAX_LABELS = 6;
const MAX_LOCAL_TOKENS = 12;
const MAILBOX_CUE =
  /^(?:is|at|to|email|e-mail|mail|address|it's|its|ist|lautet|est|es|à|a|an|on|contact|write|copy|cc|with|and|under|us|me|him|her|them)$/u;
const MAIL_WORD =
  /^(?:email|e-mail|mail|correo|courriel|mailadresse|e-mail-adresse|emails|emailed|mailed|write|contact|send|copy|cc|reach)$/u;

type Host = {
  first: number;
  last: number;
};

/**
 * Detects spoken addresses: "maria dot lopez at example dot com", "w w w dot acme dot net slash docs", also partly
 * written ("maria.lopez at example.com"). The top-level domain marks the host; a mailbox before "at" makes it an email
 * address.
 */
export const findSpokenAddresses = (tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  let at = 0;
  while (at < tokens.length) {
    const host = hostEndingAt(tokens, at);
    if (!host) {
      at += 1;
      continue;
    }
    // A host of two words: "at proton mail dot com".
    const mailbox =
      mailboxBefore(tokens, host.first) ??
      (isLabel(tokens[host.first - 1]) ? mailboxBefore(tokens, host.first - 1) : undefined);
    const hit = mailbox === undefined ? spokenUrl(tokens, host) : spokenEmail(tokens, mailbox, host);
    if (hit) found.push(hit);
    at = host.last + 1;
  }
  return found;
};

const spokenEmail = (tokens: readonly Token[], mailbox: number, host: Host): DetectedSpan | undefined => {
  const first = tokens[mailbox];
  const last = tokens[host.last];
  return first && last ? entitySpan('email_address', first.from, last.to, 99) : undefined;
};

const spokenUrl = (tokens: readonly Token[], host: Host): DetectedSpan | undefined => {
  const start = startWithScheme(tokens, host.first);
  const first = tokens[start];
  const last = tokens[endWithPath(tokens, host.last)];
  const spoken = host.last > host.first || endWithPath(tokens, host.last) > host.last;
  return first && last && spoken ? entitySpan('url', first.from, last.to, 95) : undefined;
};

/** The host that ends at `at`, by its top-level domain, or that is written there in one token. */
const hostEndingAt = (tokens: readonly Token[], at: number): Host | undefined => {
  const token = tokens[at];
  if (!token || token.isBlocked) return undefined;
  const written = /^[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.(\p{L}{2,12})$/u.exec(token.norm);
  if (written?.[1] && TOP_LEVEL.has(written[1])) return { first: labelsBefore(tokens, at), last: at };
  if (TOP_LEVEL.has(token.norm) && isDotless(tokens, at)) return { first: at - 1, last: at };
  if (!TOP_LEVEL.has(token.norm) || !isDot(tokens[at - 1])) return undefined;
  const next = tokens[at + 1];
  if (isDot(next) && token.trail === '' && TOP_LEVEL.has(tokens[at + 2]?.norm ?? '')) return undefined;
  const first = labelsBefore(tokens, at);
  const labels = tokens.slice(first, at - 1).filter((label) => !isDot(label));
  if (labels.length === 0 || (WORD_LIKE.has(token.norm) && labels.length < 2 && token.norm !== 'me'))
    return undefined;
  return { first, last: at };
};

/** "email is maria at example com": a host whose dot is missing, after a mail word only. */
const isDotless = (tokens: readonly Token[], at: number): boolean => {
  if (!/^(?:com|org|net|edu|de|fr|es)$/u.test(tokens[at]?.norm ?? '') || !isLabel(tokens[at - 1]))
    return false;
  return AT.has(tokens[at - 2]?.norm ?? '') && isMailboxPart(tokens[at - 3]) && hasMailWord(tokens, at - 3);
};

const isDot = (token: Token | undefined): boolean =>
  token !== undefined && DOT.has(token.norm) && !token.isBlocked;

/** The first token of "label dot label dot" before `at`, spelled letters and number words included. */
const labelsBefore = (tokens: readonly Token[], at: number): number => {
  let first = at;
  for (let labels = 0; labels < MAX_LABELS && isDot(tokens[first - 1]); labels++) {
    const label = tokens[first - 2];
    if (!label || !isLabel(label)) break;
    first -= 2;
    while (isDash(tokens[first - 1]) && isLabel(tokens[first - 2])) first -= 2;
    while (isSpelled(tokens[first]) && isSpelled(tokens[first - 1])) first -= 1;
  }
  return first;
};

const isLabel = (token: Token | undefined): boolean => {
  if (!token || token.isBlocked || token.trail !== '') return false;
  return (
    /^[\p{L}\d]+(?:[-.][\p{L}\d]+)*$/u.test(token.norm) &&
    (HOST_WORDS.has(token.norm) || !NEVER_LABEL.has(token.norm))
  );
};

const isDash = (token: Token | undefined): boolean => token !== undefined && DASH.has(token.norm);

const isSpelled = (token: Token | undefined): boolean => {
  if (!token || token.isBlocked || /[.!?]/u.test(token.trail)) return false;
  return /^(?:[\p{L}\d]|double|triple|double-u|\d+)$/u.test(token.norm) || isNumberWord(token.norm);
};

const isNumberWord = (word: string): boolean =>
  smallValueInAnyLanguage(word) !== undefined || /^(?:hundred|thousand)$/u.test(word);

/**
 * The first token of the mailbox before "at HOST", or undefined for none ("look at example dot com"). Words joined by
 * "dot", "underscore" and the like belong to it, as do spelled letters and digits; without those, words back to a cue
 * ("my email is maria lopez at …").
 */
const mailboxBefore = (tokens: readonly Token[], host: number): number | undefined => {
  const sign = tokens[host - 1];
  const last = host - 2;
  if (!sign || !AT.has(sign.norm) || sign.isBlocked || !isMailboxPart(tokens[last])) return undefined;
  let first = last;
  let joined = tokens[last]?.norm.includes('.') ?? false;
  while (first > 0 && last - first < MAX_LOCAL_TOKENS) {
    const before = tokens[first - 1];
    if (before && LINKS.has(before.norm) && isMailboxPart(tokens[first - 2])) {
      first -= 2;
      joined = true;
    } else if (
      (isSpelled(tokens[first]) || isNumberAt(tokens, first)) &&
      isMailboxPart(before) &&
      (!endsMailbox(before) || (isLetter(before) && isLetter(tokens[first]) && isLetter(tokens[first - 2])))
    ) {
      first -= 1;
      joined = joined || isSpelled(before);
    } else {
      break;
    }
  }
  first = startWithSpelling(tokens, first);
  const cued = cueStart(tokens, first, isMailHost(tokens[host]));
  if (cued !== undefined) return cued;
  const word = tokens[last]?.norm ?? '';
  if (joined || first < last || ROLES.has(word)) return first;
  return isMailHost(tokens[host]) && !NEVER_LABEL.has(word) ? first : undefined;
};

/** Extends a mailbox by a letter and its spelling word before it: "p as in peter". */
const startWithSpelling = (tokens: readonly Token[], first: number): number => {
  let start = first;
  while (/^(?:in|for|like|wie)$/u.test(tokens[start - 1]?.norm ?? '')) {
    const letter = tokens[start - 1]?.norm === 'in' ? start - 3 : start - 2;
    if (tokens[start - 1]?.norm === 'in' && tokens[start - 2]?.norm !== 'as') break;
    if (!/^\p{L}$/u.test(tokens[letter]?.norm ?? '')) break;
    start = letter;
  }
  return start;
};

const isMailHost = (token: Token | undefined): boolean => MAIL_HOSTS.has(token?.norm.split('.')[0] ?? '');

const isNumberAt = (tokens: readonly Token[], at: number): boolean => isNumberWord(tokens[at]?.norm ?? '');

const isMailboxPart = (token: Token | undefined): boolean => {
  if (!token || token.isBlocked || /[.,!?;:]/u.test(token.trail)) return false;
  return /^[\p{L}\d]+(?:[._+-][\p{L}\d]+)*$/u.test(token.norm);
};

const isLetter = (token: Token | undefined): boolean => /^\p{L}$/u.test(token?.norm ?? '');

const endsMailbox = (token: Token | undefined): boolean =>
  token === undefined || NEVER_LABEL.has(token.norm) || MAILBOX_CUE.test(token.norm);

/** The first of at most four words after a cue with a mail word nearby, or undefined. */
const cueStart = (tokens: readonly Token[], first: number, mailHost: boolean): number | undefined => {
  let start = first;
  for (let steps = 0; steps < 4; steps++) {
    const before = tokens[start - 1];
    if (!before) return mailHost || hasMailWord(tokens, start) ? start : undefined;
    if (MAILBOX_CUE.test(before.norm) || /[.,:;!?]/u.test(before.trail)) {
      const own = tokens[start]?.norm ?? '';
      return (mailHost || hasMailWord(tokens, start)) && !NEVER_LABEL.has(own) ? start : undefined;
    }
    if (NEVER_LABEL.has(before.norm) || !isMailboxPart(before)) return undefined;
    start -= 1;
  }
  return undefined;
};

const hasMailWord = (tokens: readonly Token[], first: number): boolean =>
  tokens
    .slice(Math.max(0, first - 9), first)
    .some((token) => MAIL_WORD.test(token.norm) || token.norm === 'address');

/** Extends a host by "h t t p s colon slash slash" before it. */
const startWithScheme = (tokens: readonly Token[], host: number): number => {
  let start = host;
  const before = (count: number) =>
    tokens
      .slice(Math.max(0, start - count), start)
      .map((token) => token.norm)
      .join(' ');
  if (/(?:^|\s)slash slash$/u.test(before(2)) || before(2) === 'slash slash') start -= 2;
  if (tokens[start - 1]?.norm === 'colon') start -= 1;
  if (/^h t t p s$/u.test(before(5))) return start - 5;
  if (/^h t t p$/u.test(before(4))) return start - 4;
  return /^(?:https?|http)$/u.test(before(1)) ? start - 1 : start;
};

/** Extends a host by a path after it: "slash pricing slash 2024". */
const endWithPath = (tokens: readonly Token[], last: number): number => {
  let end = last;
  while (SLASH.has(tokens[end + 1]?.norm ?? '') && (tokens[end]?.trail ?? '') === '') {
    const part = tokens[end + 2];
    if (!part || part.isBlocked || !/^[\p{L}\d_.-]+$/u.test(part.text)) break;
    end += 2;
  }
  return end;
};
