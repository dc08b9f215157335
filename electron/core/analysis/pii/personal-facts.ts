import lexicon from '../../../../resources/lexicons/personal.json' with { type: 'json' };
import type { PiiPolicy } from '../../../contract/analysis.ts';
import { Gazetteer } from '../names/gazetteer.ts';
import { smallValueInAnyLanguage } from '../numbers/number-words.ts';
import { type DetectedSpan, entitySpan, hiddenSpan } from '../spans.ts';
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
const BIRTH =
  /\b(?:born|birth|birthday|birthdate|dob|d o b|geboren|geburtsdatum|geburtstag|né|née|naissance|anniversaire|nací|nació|nacimiento|cumpleaños)\b/u;

/** Whether a listed word has another meaning here: "Polish the shoes", "a stroke of luck". */
const isIdiom = (tokens: readonly Token[], at: number): boolean => {
  const [word, next, after] = [0, 1, 2].map((step) => tokens[at + step]?.norm ?? '');
  if (word === 'polish') return /^(?:the|your|my|his|her|this|it)$/u.test(next ?? '');
  return word === 'stroke' && next === 'of' && /^(?:luck|genius|midnight)$/u.test(after ?? '');
};

/** Detects nationality, religion, politics, health, occupation, age and money, by list and by phrase. English first. */
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
    found.push(
      ...[occupationAt(tokens, at), ageAt(tokens, at), moneyAt(tokens, at)].filter(
        (hit) => hit !== undefined,
      ),
    );
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

const numberAt = (tokens: readonly Token[], at: number): number | undefined => {
  const token = tokens[at];
  if (!token || token.isBlocked) return undefined;
  if (/^\d{1,3}$/u.test(token.norm)) return Number(token.norm);
  const parts = token.norm.split('-').map(smallValueInAnyLanguage);
  return parts.every((part) => part !== undefined)
    ? parts.reduce((sum, part) => sum + (part ?? 0), 0)
    : undefined;
};

/** "42 years old", "forty-two-year-old", "I'm thirty six", "aged 9", "turned 50". */
const ageAt = (tokens: readonly Token[], at: number): DetectedSpan | undefined => {
  const compound = /^(\p{L}+(?:-\p{L}+)?|\d{1,3})-years?-olds?$/u.exec(tokens[at]?.norm ?? '');
  if (compound) return spanOf('person_age', tokens, at, at, 66);
  const first = numberAt(tokens, at);
  if (first === undefined || first > 120 || numberAt(tokens, at - 1) !== undefined) return undefined;
  const second = numberAt(tokens, at + 1);
  const two =
    first >= 20 &&
    first % 10 === 0 &&
    second !== undefined &&
    second > 0 &&
    second < 10 &&
    tokens[at]?.trail === '';
  const last = two ? at + 1 : at;
  const after = [1, 2, 3].map((step) => tokens[last + step]?.norm ?? '').join(' ');
  const unit =
    /^(?:years? old|year-old|months? old|years of age|jahre alt|years young)/u.exec(after)?.[0] ??
    (/^(?:ans|años)\b/u.exec(after)?.[0] && /^(?:j'ai|a|ai|tengo|tiene|as)$/u.test(tokens[at - 1]?.norm ?? '')
      ? 'x'
      : undefined);
  if (unit) return spanOf('person_age', tokens, at, last + unit.split(' ').length, 66);
  const before = tokens[at - 1]?.norm ?? '';
  if (/^(?:aged|turned|turning|turns)$/u.test(before)) return spanOf('person_age', tokens, at, last, 66);
  const age = tokens
    .slice(Math.max(0, at - 3), at)
    .some((token) => token.norm === 'age' || token.norm === 'alter');
  if (age && /^(?:is|of|age|ist)$/u.test(before)) return spanOf('person_age', tokens, at, last, 66);
  const am = /^(?:i'm|he's|she's)$/u.test(before) || (before === 'am' && tokens[at - 2]?.norm === 'i');
  const ends =
    /[.,!?]/u.test(tokens[last]?.trail ?? '') ||
    tokens[last + 1] === undefined ||
    /^(?:and|now|today|but)$/u.test(tokens[last + 1]?.norm ?? '');
  return am && ends && (Number(tokens[at]?.norm) || first) >= 3
    ? spanOf('person_age', tokens, at, last, 65)
    : undefined;
};

/** "$20 million", "twelve hundred dollars", "500 euros", "€ 3.50". */
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
  return /^\d[\d.,]*k?$/u.test(token.norm) || SCALE.test(token.norm) || numberAt(tokens, at) !== undefined;
};

/** Dates of birth, by the words or the question before a date. The date itself stays a span, too. */
export const findBirthDates = (text: string, spans: readonly DetectedSpan[]): DetectedSpan[] =>
  spans
    .filter(
      (span) =>
        span.policy === 'date' &&
        BIRTH.test(sentenceBefore(text.slice(Math.max(0, span.from - 60), span.from))),
    )
    .map((span) => hiddenSpan('date_of_birth', span.from, span.to, span.score + 1));

/** The start of the sentence at the end of `text`, with the question before it. */
const sentenceBefore = (text: string): string => {
  const parts = text.toLowerCase().split(/(?<=[.!?])\s/u);
  const own = parts.at(-1) ?? '';
  const previous = parts.at(-2) ?? '';
  return previous.endsWith('?') ? `${previous} ${own}` : own;
};

/** Detects names spelled letter by letter ("l o p e z") after a word like "name" or "spelled". */
export const findSpelledNames = (tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < tokens.length; at++) {
    let end = at;
    while (/^\p{L}$|^(?:double|dash|hyphen)$/u.test(tokens[end]?.norm ?? '') && !tokens[end]?.isBlocked)
      end += 1;
    const first = tokens[at];
    const last = tokens[end - 1];
    const cued = tokens
      .slice(Math.max(0, at - 8), at)
      .some((token) => /^(?:name|spell|spelled|spelt|spelling|surname|lastname|called)$/u.test(token.stem));
    if (first && last && end - at >= 3 && cued)
      found.push(hiddenSpan('person_name', first.from, last.to, 50));
    at = Math.max(at, end - 1);
  }
  return found;
};
