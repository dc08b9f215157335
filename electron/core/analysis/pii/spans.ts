import { PII_GROUPS, type PiiPolicy } from '../../../contract/analysis.ts';
import type { Breathe } from '../breath.ts';
import { detect } from '../detect.ts';
import { type Finding, outside } from '../findings.ts';
import { Gazetteer } from '../names/gazetteer.ts';
import { LEXICON, Tagger } from '../names/tagger.ts';
import { type Token, tokenize, tokenizeSlowly } from '../tokens.ts';
import { findCuedValues } from './cued-values.ts';
import { birthDates, findPersonalFacts, spelledNames } from './personal-facts.ts';

/** A stretch of the text that must go, and the policy it is labelled with. */
export type PrivateSpan = {
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
const spreads = (policy: PiiPolicy): boolean => !SHARED_BY_MANY.has(policy);
const PIECE = 400;

/** All findings, those that only redaction needs included. */
export const detectPrivate = async (
  text: string,
  language: string,
  breathe: Breathe,
  tagger: Tagger = new Tagger(),
): Promise<Finding[]> => {
  const found = await detect(text, language, breathe, tagger);
  const tokens = await tokenizeSlowly(text, breathe);
  for (let start = 0; start < tokens.length; start += PIECE) {
    const own = tokens
      .slice(Math.max(0, start - 60), start + PIECE + 60)
      .map((token, index) => ({ ...token, index }));
    const values = [...findCuedValues(own, language), ...findPersonalFacts(own), ...spelledNames(own)];
    found.push(
      ...outside(
        values,
        own.filter((token) => token.blocked),
      ),
    );
    await breathe();
  }
  return [...found, ...birthDates(text, found)];
};

/**
 * What the policies take out of a text: every finding of theirs (doubtful overlaps included, so that
 * redaction errs on the safe side), other occurrences of the same values, and parts of found names.
 * Overlapping spans become one, labelled by its heaviest finding.
 */
export const privateSpans = async (
  text: string,
  findings: readonly Finding[],
  policies: readonly PiiPolicy[],
  breathe: Breathe,
): Promise<PrivateSpan[]> => {
  const wanted = new Set(policies);
  if (wanted.has('bank_account')) wanted.add('iban');
  if (wanted.has('date')) wanted.add('date_of_birth');
  const own = findings.filter((one) => wanted.has(one.policy));
  const tokens = await tokenizeSlowly(text, breathe);
  await breathe();
  const echoes = await spread(text, tokens, own, breathe);
  await breathe();
  // Without a letter or digit nothing changes by substitution: redaction would not come to an end.
  return merge([...own, ...echoes]).filter((span) => /[\p{L}\p{N}]/u.test(text.slice(span.from, span.to)));
};

const merge = (findings: readonly Finding[]): PrivateSpan[] => {
  const sorted = [...findings].sort((a, b) => a.from - b.from || b.to - a.to);
  const spans: (PrivateSpan & { weight: number })[] = [];
  for (const one of sorted) {
    const last = spans.at(-1);
    if (!last || one.from >= last.to) {
      spans.push({ from: one.from, to: one.to, policy: one.policy, weight: one.weight });
      continue;
    }
    last.to = Math.max(last.to, one.to);
    if (one.weight > last.weight) {
      last.policy = one.policy;
      last.weight = one.weight;
    }
  }
  return spans.map(({ from, to, policy }) => ({ from, to, policy }));
};

type Echo = {
  policy: PiiPolicy;
  /** Only where written just so: the value is also a common word. */
  exact: string | undefined;
};

/** Further occurrences of found values and of the parts of found names. */
const spread = async (
  text: string,
  tokens: readonly Token[],
  findings: readonly Finding[],
  breathe: Breathe,
): Promise<Finding[]> => {
  const values = new Map<string, Echo>();
  for (const [index, one] of findings.entries()) {
    if (index % 100 === 0) await breathe();
    if (!spreads(one.policy)) continue;
    const value = text.slice(one.from, one.to);
    remember(values, value, one.policy);
    if (one.policy !== 'person_name') continue;
    for (const part of value.split(/[\s,]+/u))
      if (/^\p{L}{3,}/u.test(part)) remember(values, part, one.policy);
  }
  const list = new Gazetteer(values.keys());
  const found: Finding[] = [];
  for (const [at, token] of tokens.entries()) {
    if (at % PIECE === 0) await breathe();
    const match = list.match(tokens, at);
    const last = match ? tokens[match.last] : undefined;
    const echo = match ? values.get(match.phrase) : undefined;
    if (!last || !echo || (echo.exact !== undefined && text.slice(token.from, last.stemTo) !== echo.exact))
      continue;
    found.push({ policy: echo.policy, entity: null, from: token.from, to: last.stemTo, weight: 5 });
  }
  return found;
};

const remember = (values: Map<string, Echo>, value: string, policy: PiiPolicy): void => {
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
