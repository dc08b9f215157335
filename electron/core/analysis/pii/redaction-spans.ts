import { PII_GROUPS, PII_POLICIES, type PiiPolicy } from '../../../contract/analysis.ts';
import { detectIn, readText } from '../detect.ts';
import { foldText } from '../fold.ts';
import { Gazetteer } from '../names/gazetteer.ts';
import { LEXICON, Tagger } from '../names/tagger.ts';
import { type DetectedSpan, excludeRedacted, hiddenSpan, resolveOverlaps } from '../spans.ts';
import { tokenize } from '../tokens.ts';
import type { PolicyCounts } from '../types.ts';
import { findAccessKeys } from './access-keys.ts';
import { findAges } from './birth.ts';
import { findCheckedValues } from './checked-values.ts';
import { findCuedValues } from './cued-values.ts';
import { findPersonalFacts } from './personal-facts.ts';

/** A range of the text to redact, and the policy of its label. */
export type RedactionSpan = {
  from: number;
  to: number;
  policy: PiiPolicy;
};

/** Policies whose values do not identify anyone: other occurrences stay. */
const NOT_IDENTIFYING: ReadonlySet<PiiPolicy> = new Set([
  ...PII_GROUPS.medical,
  'credit_card_expiration',
  'credit_card_cvv',
  'date',
  'date_of_birth',
  'event',
  'money_amount',
  'nationality',
  'occupation',
  'person_age',
  'political_affiliation',
  'product',
  'religion',
]);
/** Whether a value found once is redacted wherever it occurs. */
const isIdentifying = (policy: PiiPolicy): boolean => !NOT_IDENTIFYING.has(policy);

/** All spans, including those for redaction alone. */
export const detectPrivateData = (
  original: string,
  language: string,
  tagger: Tagger = new Tagger(),
): DetectedSpan[] => {
  const read = readText(original, language);
  const found = detectIn(read, language, tagger, (tokens) => [
    ...findPersonalFacts(tokens),
    ...findCuedValues(tokens),
    ...findAges(tokens),
    ...findCheckedValues(tokens, language),
  ]);
  return [...found, ...findAccessKeys(read.written).map(read.toOriginal)];
};

/**
 * What to redact for the policies: all their spans, other occurrences of the same values, and parts of names.
 * Overlapping spans are merged under the policy of the highest score, since hiding too much is the safe side.
 */
export const redactionSpans = (
  text: string,
  detected: readonly DetectedSpan[],
  policies: readonly PiiPolicy[],
): RedactionSpan[] => {
  const wanted = new Set(policies);
  if (wanted.has('bank_account')) wanted.add('iban');
  if (wanted.has('date')) wanted.add('date_of_birth');
  wanted.add('redacted');
  const selected = detected.filter(
    ({ policy, from, to }) => wanted.has(policy) && !isPublic(text.slice(from, to)),
  );
  const repetitions = findRepetitions(text, selected);
  // A span without letters and digits would never change, and redaction never end.
  return mergeOverlapping([...selected, ...repetitions]).filter((span) => hasText(text, span));
};

/** "the sixties", "the 1990s", and numbers of books, which identify nobody. */
const isPublic = (value: string): boolean =>
  /(?:\d0s|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)$/iu.test(value) ||
  /^97[89](?:[\s-]?\d){10}$/u.test(value);

export const countPolicies = (policies: readonly PiiPolicy[]): PolicyCounts => {
  const counts: PolicyCounts = {};
  for (const policy of policies) counts[policy] = (counts[policy] ?? 0) + 1;
  return counts;
};

/** Values that stay in the text, because their policies are not wanted. */
export const countLeft = (
  detected: readonly DetectedSpan[],
  policies: readonly PiiPolicy[],
): PolicyCounts => {
  const wanted = new Set(policies);
  const known = new Set<PiiPolicy>(PII_POLICIES);
  const left = resolveOverlaps(detected).map(({ policy }) => policy);
  return countPolicies(left.filter((policy) => known.has(policy) && !wanted.has(policy)));
};

const hasText = (text: string, { from, to }: RedactionSpan): boolean =>
  /[\p{L}\p{N}]/u.test(text.slice(from, to));

const mergeOverlapping = (detected: readonly DetectedSpan[]): RedactionSpan[] => {
  const sorted = [...detected].sort((a, b) => a.from - b.from || b.to - a.to);
  const spans: (RedactionSpan & { score: number })[] = [];
  for (const span of sorted) {
    const last = spans.at(-1);
    if (!last || span.from >= last.to) {
      spans.push({ from: span.from, to: span.to, policy: span.policy, score: span.score });
      continue;
    }
    last.to = Math.max(last.to, span.to);
    if (span.score > last.score) {
      last.policy = span.policy;
      last.score = span.score;
    }
  }
  return spans.map(({ from, to, policy }) => ({ from, to, policy }));
};

/** Extends each span by `count` words on both sides, without what is redacted already. */
export const widenSpans = (text: string, spans: readonly RedactionSpan[], count: number): RedactionSpan[] => {
  const tokens = tokenize(text);
  const wide: DetectedSpan[] = [];
  let first = 0;
  for (const { from, to, policy } of spans) {
    while ((tokens[first]?.to ?? Number.POSITIVE_INFINITY) <= from) first += 1;
    let end = first;
    while ((tokens[end]?.from ?? Number.POSITIVE_INFINITY) < to) end += 1;
    const start = tokens[Math.max(0, first - count)]?.from ?? from;
    const stop = tokens[Math.min(tokens.length, end + count) - 1]?.to ?? to;
    wide.push(hiddenSpan(policy, Math.min(start, from), Math.max(stop, to), 0));
  }
  return mergeOverlapping(excludeRedacted(wide, tokens)).filter((span) => hasText(text, span));
};

type Repetition = {
  policy: PiiPolicy;
  /** Set if the value is also a common word: redact this spelling only. */
  exact: string | undefined;
};

/** Other occurrences of identifying values, and of parts of names. */
const findRepetitions = (original: string, detected: readonly DetectedSpan[]): DetectedSpan[] => {
  const values = new Map<string, Repetition>();
  for (const span of detected) {
    if (!isIdentifying(span.policy)) continue;
    const value = foldText(original.slice(span.from, span.to)).text;
    addValue(values, value, span.policy);
    if (span.policy !== 'person_name') continue;
    for (const part of value.split(/[\s,]+/u))
      if (/^\p{L}{3,}/u.test(part)) addValue(values, part, span.policy);
  }
  const { text, toOriginal } = foldText(original);
  const tokens = tokenize(text);
  const list = new Gazetteer(values.keys());
  const found: DetectedSpan[] = [];
  for (const [at, token] of tokens.entries()) {
    const match = list.match(tokens, at);
    const last = match ? tokens[match.last] : undefined;
    const repetition = match ? values.get(match.phrase) : undefined;
    if (
      !last ||
      !repetition ||
      (repetition.exact !== undefined && text.slice(token.from, last.stemTo) !== repetition.exact)
    )
      continue;
    found.push(toOriginal(hiddenSpan(repetition.policy, token.from, last.stemTo, 5)));
  }
  return found;
};

const addValue = (values: Map<string, Repetition>, value: string, policy: PiiPolicy): void => {
  const words = tokenize(value);
  const key = words.map((word) => word.norm).join(' ');
  if (values.has(key) || key.replace(/[^\p{L}\d]/gu, '').length < 3) return;
  const common = words.length === 1 && isCommon(key);
  if (common && !/^\p{Lu}/u.test(value) && policy !== 'password') return;
  values.set(key, { policy, exact: common ? words[0]?.text : undefined });
};

/** Whether a word has a common meaning in the tagger's lexicon. */
const isCommon = (word: string): boolean => {
  const tags = LEXICON.get(word);
  return tags ? !tags.some((tag) => /Name$|^City$|^Country$|^Region$|^Organization$/u.test(tag)) : false;
};
