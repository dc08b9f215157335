import { type DetectedSpan, entitySpan, hiddenSpan } from '../spans.ts';
import type { Token } from '../tokens.ts';
import { isCardNumber, isIpv4, isRoutingNumber, isSocialSecurityNumber } from './checks.ts';
import { cueAfter, cueBefore, cueFor, type NumberCue } from './cues.ts';
import { isPhone } from './phones.ts';
import type { DigitGroup, NumberRun } from './runs.ts';

const UNITS =
  /^(?:dollars?|bucks|euros?|pounds|cents|percent|people|units|million|billion|thousand|years?|days?|hours?|minutes?|miles|kilometers|meters|feet|users|customers|copies|votes|views|followers|tons|dólares|personas|millones|habitantes|einwohner|millionen|habitants|prozent|steps|points|calories|items|times)$/u;

type SpanContext = {
  tokens: readonly Token[];
  language: string;
  cue: NumberCue | undefined;
  hasPlus: boolean;
  isDelimited: boolean;
  /** After "ending in" or "last four". */
  isPartOfNumber: boolean;
};

/** Classifies the numbers of a run, longest first: cards, accounts, telephone numbers, IP addresses and the like. */
export const classifyNumbers = (
  run: NumberRun,
  tokens: readonly Token[],
  language: string,
): DetectedSpan[] => {
  const found: DetectedSpan[] = ipAddresses(run, tokens);
  if (found.length > 0) return found;
  const { groups } = run;
  let at = 0;
  while (at < groups.length) {
    const hit = longestSpanFrom(run, at, tokens, language);
    if (hit) {
      found.push(hit.span);
      at = hit.next;
    } else {
      at += 1;
    }
  }
  return found.length > 0 ? found : uncuedSequence(run, tokens);
};

const longestSpanFrom = (run: NumberRun, at: number, tokens: readonly Token[], language: string) => {
  const { groups } = run;
  const first = groups[at];
  if (!first) return undefined;
  const partial = isPartial(tokens, first.firstToken);
  const before = cueBefore(tokens, first.firstToken);
  for (let end = Math.min(groups.length, at + 34); end > at; end--) {
    const span = groups.slice(at, end);
    const last = span.at(-1);
    if (!last || span.reduce((sum, group) => sum + group.digits.length, 0) > 34) continue;
    const context = {
      tokens,
      language,
      cue: before ?? cueAfter(tokens, last.lastToken),
      hasPlus: run.hasPlus && at === 0,
      isDelimited: isBoundary(groups, at, tokens) && isBoundary(groups, end, tokens),
      isPartOfNumber: partial,
    };
    const hit = classifySpan(span, context);
    if (hit) return { span: hit, next: end };
  }
  return undefined;
};

/** Whether a number may start at this group: at the run's edge, or after a comma, full stop or word. */
const isBoundary = (groups: readonly DigitGroup[], at: number, tokens: readonly Token[]): boolean => {
  const previous = groups[at - 1];
  const group = groups[at];
  if (!previous || !group) return true;
  return /[,.;?]/u.test(tokens[previous.lastToken]?.trail ?? '') || group.firstToken > previous.lastToken + 1;
};

const isPartial = (tokens: readonly Token[], first: number): boolean => {
  const before = tokens
    .slice(Math.max(0, first - 5), first)
    .map((token) => token.norm)
    .join(' ');
  return /\b(?:ending|ends|last (?:four|4)(?: digits)?|endet)\b/u.test(before);
};

const classifySpan = (span: readonly DigitGroup[], context: SpanContext): DetectedSpan | undefined => {
  const first = span[0];
  const last = span.at(-1);
  if (!first || !last) return undefined;
  const digits = span.map((group) => group.digits).join('');
  const { cue } = context;
  const inside = span.slice(1).map((group) => group.before);
  if (cue === 'expiry' && isExpiry(span))
    return entitySpan('credit_card_expiration', first.from, last.to, 92);
  if (inside.some((sign) => /[/:]/u.test(sign))) return undefined;
  if (cue !== 'order' && isCardNumber(digits))
    return entitySpan('credit_card_number', first.from, last.to, 100);
  const social = cue === 'ssn' || (cue !== 'order' && isSocialShape(span, inside));
  if (social && isSocialSecurityNumber(digits))
    return entitySpan('us_social_security_number', first.from, last.to, 98);
  const from = context.hasPlus ? plusStart(context.tokens, first) : parenStart(context.tokens, first, last);
  if (context.hasPlus && cue !== 'order' && isPhone(span, { ...context, isCued: true })) {
    return entitySpan('phone_number', from, last.to, 90);
  }
  const cued = context.isDelimited ? spanFromCue(digits, first.from, last.to, context) : undefined;
  if (cued) return cued;
  if (cue !== undefined && cue !== 'phone' && cue !== 'ip' && cue !== 'version') return undefined;
  if (isCounting(span) || !isPhone(span, { ...context, isCued: cue === 'phone' })) return undefined;
  return hasUnitAfter(context.tokens, last) && cue !== 'phone'
    ? undefined
    : entitySpan('phone_number', from, last.to, 85);
};

const isSocialShape = (span: readonly DigitGroup[], inside: readonly string[]): boolean =>
  span.map((group) => group.digits.length).join('-') === '3-2-4' && inside.every((sign) => sign === '-');

/** MM/YY or MM/YYYY, with or without the slash. */
const isExpiry = (span: readonly DigitGroup[]): boolean => {
  const padded = span.map((group) => group.digits.padStart(2, '0')).join('');
  const plain = span.map((group) => group.digits).join('');
  return (
    [padded, plain].some((digits) => /^(?:0[1-9]|1[0-2])(?:20)?[2-4]\d$/u.test(digits)) && span.length <= 4
  );
};

const spanFromCue = (
  digits: string,
  from: number,
  to: number,
  context: SpanContext,
): DetectedSpan | undefined => {
  const length = digits.length;
  switch (context.cue) {
    case 'account':
      if (length >= 6 && length <= 17) return entitySpan('bank_account', from, to, 88);
      if (length >= 4 && length < 6) return hiddenSpan('bank_account', from, to, 60);
      return context.isPartOfNumber && length >= 3 ? hiddenSpan('bank_account', from, to, 60) : undefined;
    case 'routing':
      if (length === 9 && isRoutingNumber(digits)) return entitySpan('bank_account', from, to, 95);
      if (length === 6 || length === 8) return entitySpan('bank_account', from, to, 80);
      return length === 9 ? hiddenSpan('bank_account', from, to, 60) : undefined;
    case 'card':
      if (length >= 8 && length <= 20) return hiddenSpan('credit_card_number', from, to, 70);
      return context.isPartOfNumber && length >= 3
        ? hiddenSpan('credit_card_number', from, to, 60)
        : undefined;
    case 'ssn':
      return length >= 4 && length <= 11
        ? hiddenSpan('us_social_security_number', from, to, length >= 7 ? 70 : 60)
        : undefined;
    case 'phone':
      return length >= 5 && length < 7 ? hiddenSpan('phone_number', from, to, 60) : undefined;
    case 'cvv':
      return length === 3 || length === 4 ? entitySpan('credit_card_cvv', from, to, 92) : undefined;
    case 'password':
      return length >= 4 && length <= 8 ? entitySpan('password', from, to, 82) : undefined;
    case undefined:
      return context.isPartOfNumber && length === 4 ? hiddenSpan('number_sequence', from, to, 10) : undefined;
    default:
      return undefined;
  }
};

const plusStart = (tokens: readonly Token[], group: DigitGroup): number => {
  const token = tokens[group.firstToken];
  if (!token) return group.from;
  if (token.text.startsWith('+')) return token.from;
  const previous = tokens[token.index - 1];
  return previous?.norm === 'plus' ? previous.from : group.from;
};

/** "(303) 555-0134": the start, including a parenthesis that closes inside the number. */
const parenStart = (tokens: readonly Token[], first: DigitGroup, last: DigitGroup): number => {
  const token = tokens[first.firstToken];
  const closed = token?.lead.endsWith('(') && (token.trail.includes(')') || token.text.includes(')'));
  return token && closed && last.lastToken > first.firstToken ? token.from - 1 : first.from;
};

const hasUnitAfter = (tokens: readonly Token[], group: DigitGroup): boolean =>
  UNITS.test(tokens[group.lastToken + 1]?.norm ?? '');

/**
 * IPv4 addresses, with octets of one or two number words ("one ninety two dot one sixty eight …"). After a cue such as
 * "server", an octet too many or too few is accepted, since recognizers drop and repeat octets.
 */
const ipAddresses = (run: NumberRun, tokens: readonly Token[]): DetectedSpan[] =>
  dottedChains(octetsOf(run.groups)).flatMap((chain) => {
    const first = chain[0]?.[0];
    const last = chain.at(-1)?.at(-1);
    if (!first || !last || chain.length < 3 || chain.length > 6) return [];
    const values = chain.map((octet) => octet.map((group) => group.digits).join(''));
    const cue = cueFor(tokens, first.firstToken, last.lastToken);
    if (cue === 'version' || values.some((value) => Number(value) > 255)) return [];
    if (isIpv4(values) || (cue === 'ip' && chain.length > 4))
      return [entitySpan('ip_address', first.from, last.to, 96)];
    return cue === 'ip' ? [hiddenSpan('ip_address', first.from, last.to, 60)] : [];
  });

/** Runs of octets separated by dots. */
const dottedChains = (octets: readonly DigitGroup[][]): DigitGroup[][][] => {
  const chains: DigitGroup[][][] = [];
  for (const octet of octets) {
    const chain = chains.at(-1);
    if (chain && octet[0]?.before === '.') chain.push(octet);
    else chains.push([octet]);
  }
  return chains;
};

/** Splits groups before each dot; the first part keeps only what fits into one octet. */
const octetsOf = (groups: readonly DigitGroup[]): DigitGroup[][] => {
  const octets: DigitGroup[][] = [];
  for (const group of groups) {
    const current = octets.at(-1);
    const value = Number([...(current ?? []), group].map((part) => part.digits).join(''));
    if (current && group.before === '' && value <= 255) current.push(group);
    else octets.push([group]);
  }
  return octets;
};

/** Any other long sequence of digits, for the policy `number_sequence`; not counting and not quantities. */
const uncuedSequence = (run: NumberRun, tokens: readonly Token[]): DetectedSpan[] => {
  const first = run.groups[0];
  const last = run.groups.at(-1);
  if (!first || !last || hasUnitAfter(tokens, last)) return [];
  // "fifteen thousand" is a quantity.
  if (run.groups.length === 1 && first.isSpoken) return [];
  const digits = run.groups.map((group) => group.digits).join('');
  if (digits.length < 5 || digits.length > 40) return [];
  if (run.groups.slice(1).some((group) => /[./:]/u.test(group.before)) || isCounting(run.groups)) return [];
  return [entitySpan('number_sequence', first.from, last.to, 10)];
};

const isCounting = (groups: readonly DigitGroup[]): boolean => {
  const steps = groups.slice(1).map((group, index) => Number(group.digits) - Number(groups[index]?.digits));
  return steps.length >= 2 && (steps.every((step) => step === 1) || steps.every((step) => step === -1));
};
