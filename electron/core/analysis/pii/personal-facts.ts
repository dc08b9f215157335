import lexicon from '../../../../resources/lexicons/personal.json' with { type: 'json' };
import type { PiiPolicy } from '../../../contract/analysis.ts';
import { Gazetteer } from '../names/gazetteer.ts';
import { smallValueInAnyLanguage } from '../numbers/number-words.ts';
import { type DetectedSpan, entitySpan } from '../spans.ts';
import type { Token } from '../tokens.ts';

const withPlural = (name: string): string[] =>
  /(?:ish|ese|ch|s|ss)$/u.test(name) ? [name] : [name, `${name}s`];

const LISTS: readonly (readonly [PiiPolicy, Gazetteer])[] = [
  ['nationality', new Gazetteer(lexicon.nationalities.flatMap(withPlural))],
  ['religion', new Gazetteer(lexicon.religions.flatMap(withPlural))],
  ['political_affiliation', new Gazetteer(lexicon.politics)],
  ['medical_condition', new Gazetteer(lexicon.conditions)],
  ['drug', new Gazetteer(lexicon.drugs)],
  ['injury', new Gazetteer(lexicon.injuries)],
];
const OCCUPATIONS = new Gazetteer(lexicon.occupations);
/** Words before an occupation: "I'm a …", "works as a …", "her father was a …". */
const BEING =
  /^(?:i'm|am|is|was|as|are|were|be|been|became|become|he's|she's|a|an|the|my|our|his|her|their|being|former|retired|licensed|certified|head|senior|junior|chief|trained|qualified)$/u;
const DOUBTFUL_JOBS =
  /^(?:model|cook|miner|judge|principal|editor|vet|painter|pilot|developer|surveyor|tailor|baker|butcher|carpenter|gardener|farmer|secretary|detective|nurse|dj|ceo|cto|cfo|cleaner|designer|engineer|consultant|scientist|writer|teacher|professor|lawyer|soldier|student nurse)$/u;
const CURRENCY =
  /^(?:dollars?|bucks|cents?|pence|euros?|pounds?|quid|yen|yuan|rupees?|francs?|franken|pesos?|usd|eur|gbp|grand|k)$/u;
const SCALE =
  /^(?:hundred|thousand|million|billion|trillion|millionen|milliarden|millones|mille|tausend|hundert|mil|cent|million[s]?)$/u;

/** Whether a listed word has another meaning here: "Polish the shoes", "a stroke of luck". */
const isIdiom = (tokens: readonly Token[], at: number): boolean => {
  const [word, next, after] = [0, 1, 2].map((step) => tokens[at + step]?.norm ?? '');
  // The illness ALS, but German and Dutch "als".
  if (word === 'als') return tokens[at]?.text !== 'ALS';
  if (word === 'polish') return /^(?:the|your|my|his|her|this|it)$/u.test(next ?? '');
  return word === 'stroke' && next === 'of' && /^(?:luck|genius|midnight)$/u.test(after ?? '');
};

/** Detects nationality, religion, politics, health, occupation and money, by list and by phrase. English first. */
export const findPersonalFacts = (tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.isBlocked) continue;
    for (const [policy, list] of LISTS) {
      const last = list.match(tokens, at)?.last;
      const hit =
        last === undefined || isIdiom(tokens, at) ? undefined : spanOf(policy, tokens, at, last, 45);
      if (hit) found.push(hit);
    }
    found.push(...[occupationAt(tokens, at), moneyAt(tokens, at)].filter((hit) => hit !== undefined));
  }
  return found;
};

const spanOf = (
  policy: PiiPolicy,
  tokens: readonly Token[],
  first: number,
  last: number,
  weight: number,
): DetectedSpan | undefined => {
  const start = tokens[first];
  const end = tokens[last];
  return start && end ? entitySpan(policy, start.from, end.stemTo, weight) : undefined;
};

const occupationAt = (tokens: readonly Token[], at: number): DetectedSpan | undefined => {
  const match = OCCUPATIONS.match(tokens, at);
  if (!match) return undefined;
  const before = tokens[at - 1]?.norm ?? '';
  const two = tokens[at - 2]?.norm ?? '';
  const isStated =
    BEING.test(before) &&
    (!DOUBTFUL_JOBS.test(match.phrase) ||
      /^(?:i'm|am|is|was|as|are|became|become|he's|she's|a|an|retired|former|my|licensed)$/u.test(before) ||
      BEING.test(two));
  return isStated ? spanOf('occupation', tokens, at, match.last, 46) : undefined;
};

/** "$20 million", "1200 dollars", "five euros", "€ 3.50". */
const moneyAt = (tokens: readonly Token[], at: number): DetectedSpan | undefined => {
  const token = tokens[at];
  if (!token) return undefined;
  if (
    /^[-+]?[$€£¥₹]\s?\d/u.test(token.text) ||
    /^\d[\d.,]*[$€£¥]$/u.test(token.text) ||
    (/^[$€£¥]$/u.test(token.text) && /^\d/u.test(tokens[at + 1]?.text ?? ''))
  ) {
    let last = /^[$€£¥]$/u.test(token.text) ? at + 1 : at;
    while (SCALE.test(tokens[last + 1]?.norm ?? '') || /^(?:k|m|bn)$/u.test(tokens[last + 1]?.norm ?? ''))
      last += 1;
    return spanOf('money_amount', tokens, at, last, 67);
  }
  if (!isAmount(tokens, at) || isAmount(tokens, at - 1)) return undefined;
  let last = at;
  while (
    last - at < 9 &&
    (isAmount(tokens, last + 1) ||
      (/^(?:and|point|a|half)$/u.test(tokens[last + 1]?.norm ?? '') && isAmount(tokens, last + 2)))
  )
    last += 1;
  return CURRENCY.test(tokens[last + 1]?.norm ?? '')
    ? spanOf('money_amount', tokens, at, last + 1, 67)
    : undefined;
};

const isAmount = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  if (!token || token.isBlocked) return false;
  return (
    /^\d[\d.,]*k?$/u.test(token.norm) ||
    SCALE.test(token.norm) ||
    smallValueInAnyLanguage(token.norm) !== undefined
  );
};
