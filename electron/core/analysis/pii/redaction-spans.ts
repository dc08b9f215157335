import { PII_GROUPS, type PiiPolicy } from '../../../contract/analysis.ts';
import type { YieldIfDue } from '../../base/event-loop.ts';
import { detectEntities } from '../detect.ts';
import { Gazetteer } from '../names/gazetteer.ts';
import { LEXICON, Tagger } from '../names/tagger.ts';
import { type DetectedSpan, excludeRedacted } from '../spans.ts';
import { type Token, tokenize, tokenizeAsync } from '../tokens.ts';
import { findCuedValues } from './cued-values.ts';
import { findBirthDates, findPersonalFacts, findSpelledNames } from './personal-facts.ts';

/** A stretch of the text that must go, and the policy it is labelled with. */
export type RedactionSpan = {
  from: number;
  to: number;
  policy: PiiPolicy;
};

/** What many have in common: said of somebody else, it is no secret of the one it was found with. */
const SHARED_BY_MANY: ReadonlySet<PiiPolicy> = new Set([
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
/** Whether a value is looked for again everywhere once it was found somewhere. */
const isIdentifying = (policy: PiiPolicy): boolean => !SHARED_BY_MANY.has(policy);
const WINDOW = 400;

/** All findings, those that only redaction needs included. */
export const detectPrivateData = async (
  text: string,
  language: string,
  yieldIfDue: YieldIfDue,
  tagger: Tagger = new Tagger(),
): Promise<DetectedSpan[]> => {
  const found = await detectEntities(text, language, yieldIfDue, tagger);
  const tokens = await tokenizeAsync(text, yieldIfDue);
  for (let start = 0; start < tokens.length; start += WINDOW) {
    const own = tokens
      .slice(Math.max(0, start - 60), start + WINDOW + 60)
      .map((token, index) => ({ ...token, index }));
    const values = [...findCuedValues(own, language), ...findPersonalFacts(own), ...findSpelledNames(own)];
    found.push(
      ...excludeRedacted(
        values,
        own.filter((token) => token.isBlocked),
      ),
    );
    await yieldIfDue();
  }
  return [...found, ...findBirthDates(text, found)];
};

/**
 * What the policies take out of a text: every finding of theirs (doubtful overlaps included, so that
 * redaction errs on the safe side), other occurrences of the same values, and parts of found names.
 * Overlapping spans become one, labelled by its heaviest finding.
 */
export const redactionSpans = async (
  text: string,
  findings: readonly DetectedSpan[],
  policies: readonly PiiPolicy[],
  yieldIfDue: YieldIfDue,
): Promise<RedactionSpan[]> => {
  const wanted = new Set(policies);
  if (wanted.has('bank_account')) wanted.add('iban');
  if (wanted.has('date')) wanted.add('date_of_birth');
  const own = findings.filter((one) => wanted.has(one.policy));
  const tokens = await tokenizeAsync(text, yieldIfDue);
  await yieldIfDue();
  const echoes = await findRepetitions(text, tokens, own, yieldIfDue);
  await yieldIfDue();
  // Without a letter or digit nothing changes by substitution: redaction would not come to an end.
  return mergeOverlapping([...own, ...echoes]).filter((span) =>
    /[\p{L}\p{N}]/u.test(text.slice(span.from, span.to)),
  );
};

const mergeOverlapping = (findings: readonly DetectedSpan[]): RedactionSpan[] => {
  const sorted = [...findings].sort((a, b) => a.from - b.from || b.to - a.to);
  const spans: (RedactionSpan & { weight: number })[] = [];
  for (const one of sorted) {
    const last = spans.at(-1);
    if (!last || one.from >= last.to) {
      spans.push({ from: one.from, to: one.to, policy: one.policy, weight: one.score });
      continue;
    }
    last.to = Math.max(last.to, one.to);
    if (one.score > last.weight) {
      last.policy = one.policy;
      last.weight = one.score;
    }
  }
  return spans.map(({ from, to, policy }) => ({ from, to, policy }));
};

type Repetition = {
  policy: PiiPolicy;
  /** Only where written just so: the value is also a common word. */
  exact: string | undefined;
};

/** Further occurrences of found values and of the parts of found names. */
const findRepetitions = async (
  text: string,
  tokens: readonly Token[],
  findings: readonly DetectedSpan[],
  yieldIfDue: YieldIfDue,
): Promise<DetectedSpan[]> => {
  const values = new Map<string, Repetition>();
  for (const [index, one] of findings.entries()) {
    if (index % 100 === 0) await yieldIfDue();
    if (!isIdentifying(one.policy)) continue;
    const value = text.slice(one.from, one.to);
    addValue(values, value, one.policy);
    if (one.policy !== 'person_name') continue;
    for (const part of value.split(/[\s,]+/u))
      if (/^\p{L}{3,}/u.test(part)) addValue(values, part, one.policy);
  }
  const list = new Gazetteer(values.keys());
  const found: DetectedSpan[] = [];
  for (const [at, token] of tokens.entries()) {
    if (at % WINDOW === 0) await yieldIfDue();
    const match = list.match(tokens, at);
    const last = match ? tokens[match.last] : undefined;
    const echo = match ? values.get(match.phrase) : undefined;
    if (!last || !echo || (echo.exact !== undefined && text.slice(token.from, last.stemTo) !== echo.exact))
      continue;
    found.push({ policy: echo.policy, entity: null, from: token.from, to: last.stemTo, score: 5 });
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

/** A word that also means something else, by the tagger's list. */
const isCommon = (word: string): boolean => {
  const tags = LEXICON.get(word);
  return tags ? !tags.some((tag) => /Name$|^City$|^Country$|^Region$|^Organization$/u.test(tag)) : false;
};
