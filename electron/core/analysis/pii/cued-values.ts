import lexicon from '../../../../resources/lexicons/cues.json' with { type: 'json' };
import { PiiPolicy } from '../../../contract/analysis.ts';
import { spelledPartsFrom } from '../entities/spelled.ts';
import { endOfName } from '../names/cued-names.ts';
import { Gazetteer } from '../names/gazetteer.ts';
import { isPlainWord } from '../names/plain-words.ts';
import { type DetectedSpan, entitySpan, hiddenSpan } from '../spans.ts';
import type { Token } from '../tokens.ts';
import { ageAfter, dateAfter, dateBefore } from './birth.ts';

/** What kind of value follows a cue; the cues by language are in resources/lexicons/cues.json. */
type Rule = {
  readonly policy: PiiPolicy;
  readonly value: string;
  /** Length of the value in letters and digits, or in words. */
  readonly min: number;
  readonly max: number;
};

const RULES = new Map<string, Rule[]>();
for (const { policy, value, min, max, cues } of Object.values(lexicon.values)) {
  const rule = { policy: PiiPolicy.parse(policy), value, min, max };
  for (const cue of new Set<string>(Object.values(cues).flat())) {
    const phrase = cue.replaceAll(/(?<=\p{L}{2})\.(?= |$)/gu, '');
    RULES.set(phrase, [...(RULES.get(phrase) ?? []), rule]);
  }
}
/** A cue only before a colon and a value with digits: "pass: x1", but not "pass: the exam". */
const WEAK_CUE = 'pass';
RULES.set(WEAK_CUE, [{ policy: 'password', value: 'words', min: 3, max: 40 }]);
const CUES = new Gazetteer(RULES.keys());

/** Cues only before a value with digits: "the passwords are x1 and x2", but not "passwords are important". */
const PLURAL_CUE = /(?:^|\s)(?:usernames|names|logins|passwords|pins|codes|passwörter|contraseñas)$|^mots /u;
/** Cues that a value follows at once: "log in as". */
const LINKED_CUE = / (?:as|als|como|come|soy|sou|sono|ich|ik|i'm|suis|avec|pseudo|met)$/u;
const LINKS = new Set(lexicon.links);
const STATES = /^(?:is|was|are|it's|ist|lautet|heißt|est|c'est|es|é|è|reads|equals|to|be|auf|zu)$/u;
/** Words that may stand between a cue and "to", "be" and the like: "password has been changed to". */
const CHANGE_WORDS =
  /^(?:has|have|been|will|should|must|be|just|now|changed|reset|updated|switched|wurde|auf|zu|geändert|a|été|changé|en|à|sido|cambiada|fue)$/u;
/** What ends such words, right before the value. */
const CHANGE_LINKS = /^(?:is|was|to|be|now|auf|zu|en|à|a)$/u;
const CLAUSE_ENDS =
  /^(?:and|but|or|so|then|with|because|please|for|in|on|that|which|to|und|et|y|now|okay|ok|if|at|don't|do|can|write|you|i|it|is|was|expires|expired|has|have|will|not|wrong|incorrect|reset|changed|required|protected|again|too|manager|field|been)$/u;
/** Signs around a quoted value, which ends where they do. */
const OPENS = /["'“”„‘«»‹›「」『([{<`*_~|=\\/]$/u;
const CLOSES = /^["'”“’»«›‹」』)\]}>`*_~|=\\/]/u;
const SPOKEN_CHARACTERS =
  /^(?:dash|hyphen|underscore|dot|minus|plus|space|capital|uppercase|lowercase|hash|hashtag|star|dollar|exclamation|mark|point|question|at|ampersand|slash)$/u;
/** Keys that end a code at a door. */
const KEYS = new Set(lexicon.keys);
/** Between the values of a list: "X1234567, X2345678 and X3456789". */
const LIST_WORDS = /^(?:and|or|und|oder|et|ou|y|o|e|also|sowie)$/u;

/**
 * Detects values by the words before them, in tokens whose spoken numbers are read as digits: documents, plates, user names, secrets,
 * dates of birth, ages, P.O. boxes, names.
 */
export const findCuedValues = (tokens: readonly Token[]): DetectedSpan[] => [
  ...findCodesBefore(tokens),
  ...tokens.flatMap((token, at) => {
    const match = token.isBlocked ? undefined : CUES.match(tokens, at);
    const rules = match === undefined ? undefined : RULES.get(match.phrase);
    return match && rules ? rules.flatMap((rule) => valuesOf(tokens, { at, ...match }, rule)) : [];
  }),
];

type Cue = { readonly at: number; readonly last: number; readonly phrase: string };

const valuesOf = (tokens: readonly Token[], cue: Cue, rule: Rule): DetectedSpan[] => {
  const first = valueAfter(tokens, cue, rule);
  return first === undefined ? [] : [first, ...furtherCodes(tokens, cue.at, first, rule)];
};

/** Codes before their cue: "use hunter2 as the password". */
const findCodesBefore = (tokens: readonly Token[]): DetectedSpan[] =>
  tokens.flatMap((token, at) => {
    const [link, article] = [1, 2].map((step) => tokens[at + step]?.norm ?? '');
    if (
      !/^(?:as|is|for|was)$/u.test(link ?? '') ||
      !/^(?:the|my|your|our|her|his|their|a)$/u.test(article ?? '')
    )
      return [];
    const match = CUES.match(tokens, at + 3);
    const rule = match && match.phrase !== WEAK_CUE ? RULES.get(match.phrase)?.[0] : undefined;
    const isMixed = /\p{L}/u.test(token.text) && /\d/u.test(token.text);
    const isValue = rule?.value === 'code' || rule?.value === 'words';
    return rule && isValue && isMixed && isCode(token, rule)
      ? [entitySpan(rule.policy, token.from, token.to, 82)]
      : [];
  });

/** A whole code in one token: digits with letters, or as many digits as a code has. */
const isCode = ({ text, isBlocked }: Token, { min, max, value: kind }: Rule): boolean => {
  const value = text.replace(/[^\p{L}\p{N}]/gu, '');
  const hasEnough = value.length >= Math.max(min, 4) && value.length <= max;
  const isMixed = /\d/u.test(value) && /\p{L}/u.test(value);
  return (
    !isBlocked &&
    hasEnough &&
    (isMixed || /^\d{6,}$/u.test(value) || (kind === 'code' && /^\d+$/u.test(value)))
  );
};

/** The other codes of a list that begins with a cued value. */
const furtherCodes = (
  tokens: readonly Token[],
  from: number,
  value: DetectedSpan,
  rule: Rule,
): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  if (rule.value !== 'code' && rule.value !== 'words') return found;
  let at = from;
  while ((tokens[at]?.to ?? Number.POSITIVE_INFINITY) < value.to) at += 1;
  for (;;) {
    const previous = tokens[at];
    if (!previous || /[.!?:]/u.test(previous.trail)) return found;
    const next = LIST_WORDS.test(tokens[at + 1]?.norm ?? '') ? at + 2 : at + 1;
    const token = tokens[next];
    if (!token || !isCode(token, rule)) return found;
    found.push(entitySpan(rule.policy, token.from, token.to, 82));
    at = next;
  }
};

const valueAfter = (tokens: readonly Token[], cue: Cue, rule: Rule): DetectedSpan | undefined => {
  const end = tokens[cue.last];
  if (!end || /[.!]/u.test(end.trail)) return undefined;
  const isAsked = end.trail.includes('?');
  if (isAsked && rule.value === 'words') return undefined;
  const before = rule.value === 'date' && !isAsked ? dateBefore(tokens, cue.at) : undefined;
  if (rule.value === 'date') return spanOf(rule, tokens, dateAfter(tokens, cue.last + 1, rule.max) ?? before);
  if (rule.value === 'age') return spanOf(rule, tokens, ageAfter(tokens, cue.last + 1));
  if (rule.value === 'name') return spanOf(rule, tokens, endOfName(tokens, cue.last + 1, cue.phrase));
  let start = cue.last + 1;
  let isLinked = end.trail.includes(':') || end.norm !== end.stem || LINKED_CUE.test(` ${cue.phrase}`);
  const first = tokens[start];
  if (cue.phrase === WEAK_CUE && !(isLinked && first !== undefined && isCode(first, rule))) return undefined;
  let hasChange = false;
  for (; start - cue.last < 8; start++) {
    const token = tokens[start];
    const word = token?.norm ?? '';
    // A sign by itself: "passport # X1234567".
    if (word === '' && token !== undefined) continue;
    const isChange = rule.value === 'words' && CHANGE_WORDS.test(word);
    if (!isChange && !LINKS.has(word)) break;
    if (/^\p{L}$/u.test(word) && rule.value === 'spelled') break;
    hasChange ||= isChange;
    isLinked ||= STATES.test(word);
    if (/[.!?]/u.test(token?.trail ?? '') && !(rule.value === 'code' && token?.trail === '?'))
      return undefined;
  }
  if (PLURAL_CUE.test(cue.phrase) && !/\d/u.test(tokens[start]?.text ?? '')) return undefined;
  if (hasChange && !CHANGE_LINKS.test(tokens[start - 1]?.norm ?? '')) return undefined;
  return readValue(tokens, start, cue, rule, isLinked || hasChange);
};

const readValue = (
  tokens: readonly Token[],
  start: number,
  cue: Cue,
  rule: Rule,
  isLinked: boolean,
): DetectedSpan | undefined => {
  switch (rule.value) {
    case 'code':
      return codeAt(tokens, start, rule);
    case 'words':
      return wordsAt(tokens, start, rule, isLinked);
    case 'unit':
      return spanOf(rule, tokens, unitAt(tokens, cue.at, start, rule));
    case 'box':
      return spanOf(rule, tokens, boxAt(tokens, cue.at, start, rule));
    case 'phrase':
      return spanOf(rule, tokens, phraseAt(tokens, start, rule));
    default:
      return spanOf(rule, tokens, spelledAt(tokens, start, rule));
  }
};

type Range = { readonly first: number; readonly last: number };

const spanOf = (
  { policy }: Rule,
  tokens: readonly Token[],
  range: Range | undefined,
): DetectedSpan | undefined => {
  const first = range && tokens[range.first];
  const last = range && tokens[range.last];
  return first && last ? hiddenSpan(policy, first.from, last.stemTo, 66) : undefined;
};

/** "buzzer 14", "apartment 4 b": the cue, too, since the number alone says little. */
const unitAt = (tokens: readonly Token[], cue: number, start: number, { max }: Rule): Range | undefined => {
  const number = tokens[start];
  if (!number || start - cue > 3 || !/^\d+\p{L}?$/u.test(number.norm) || number.norm.length > max)
    return undefined;
  const hasLetter = number.trail === '' && /^\p{L}$/u.test(tokens[start + 1]?.norm ?? '');
  return { first: cue, last: hasLetter ? start + 1 : start };
};

/** "PO box 889, Duluth": the number, and what is right after it. */
const boxAt = (tokens: readonly Token[], cue: number, start: number, { max }: Rule): Range | undefined => {
  let last = start;
  if (!/\d/u.test(tokens[last]?.norm ?? '')) return undefined;
  while (
    last - start < max &&
    /\d/u.test(tokens[last + 1]?.norm ?? '') &&
    /^,?$/u.test(tokens[last]?.trail ?? '.')
  )
    last += 1;
  const next = tokens[last + 1];
  const isPlace =
    /^(?:,|)$/u.test(tokens[last]?.trail ?? '.') && next?.isCapitalized && !isPlainWord(next.norm);
  return {
    first: cue,
    last: isPlace || (/^\p{L}{2}$/u.test(next?.text ?? '') && next?.isCapitalized) ? last + 1 : last,
  };
};

/** The words up to the end of the sentence. */
const phraseAt = (tokens: readonly Token[], start: number, { min, max }: Rule): Range | undefined => {
  let last = start;
  while (last - start < max - 1 && tokens[last + 1] && !/[.!?;]/u.test(tokens[last]?.trail ?? '')) last += 1;
  return last - start >= min - 1 ? { first: start, last } : undefined;
};

/** Letters by themselves, as in a spelled name. */
const spelledAt = (tokens: readonly Token[], start: number, { min, max }: Rule): Range | undefined => {
  for (let first = start; first < start + 6 && !/[.!]/u.test(tokens[first - 1]?.trail ?? ''); first += 1) {
    let last = first;
    while (
      last - first < max &&
      /^\p{L}$|^(?:double|dash|hyphen)$/u.test(tokens[last]?.norm ?? '') &&
      !tokens[last]?.isBlocked
    )
      last += 1;
    if (last - first >= min) return { first, last: last - 1 };
    if (/^\p{L}(?:-\p{L}){2,}$/u.test(tokens[first]?.norm ?? '')) return { first, last: first };
  }
  return undefined;
};

/** A spelled or written code with at least one digit. */
const codeAt = (tokens: readonly Token[], start: number, rule: Rule): DetectedSpan | undefined => {
  const all = spelledPartsFrom(tokens, start, 24);
  const codes = all.filter(({ token }) => isCode(token, rule));
  const pieces: typeof all = [];
  let length = 0;
  for (const part of codes[1] === undefined ? all : all.slice(0, all.indexOf(codes[1]))) {
    const previous = pieces.at(-1);
    if (length + part.value.length > rule.max) break;
    if (previous && length >= rule.min && /[.!?]/u.test(previous.token.trail)) break;
    length += part.value.length;
    pieces.push(part);
  }
  const first = pieces[0]?.token;
  const last = pieces.at(-1)?.token;
  if (!first || !last || length < rule.min || !pieces.some(({ value }) => /\d/u.test(value)))
    return undefined;
  const key = tokens[last.index + 1];
  return entitySpan(
    rule.policy,
    first.from,
    key && KEYS.has(key.norm) && last.trail === '' ? key.to : last.to,
    83,
  );
};

/** The words up to the end of the clause, at most eight, or a spelled value. */
const wordsAt = (
  tokens: readonly Token[],
  start: number,
  rule: Rule,
  isLinked: boolean,
): DetectedSpan | undefined => {
  const first = tokens[start];
  if (!first || first.isBlocked || CLAUSE_ENDS.test(first.norm)) return undefined;
  const spelled = spelledPartsFrom(tokens, start, 40).length;
  const hasSign = /\d/u.test(first.text) || (rule.policy === 'username' && /[_@#.]/u.test(first.text));
  const isNumbered =
    /^\d+$/u.test(tokens[start + 1]?.norm ?? '') &&
    /[.,!?]/u.test(tokens[start + 1]?.trail || (tokens[start + 2] ? '' : '.'));
  if (!isLinked && spelled < 3 && !hasSign && !(isNumbered && !isPlainWord(first.norm))) return undefined;
  if (!hasSign && isPlainWord(first.norm) && (rule.policy === 'username' || isPlainEnd(tokens, start)))
    return undefined;
  let last = start;
  const isQuoted = OPENS.test(first.lead);
  while (last - start < 39) {
    const next = tokens[last + 1];
    const trail = tokens[last]?.trail ?? '';
    if (!next || next.isBlocked || /[.!?,;:…]/u.test(trail) || (isQuoted && CLOSES.test(trail))) break;
    const inside =
      last - start < spelled - 1 ||
      SPOKEN_CHARACTERS.test(next.norm) ||
      SPOKEN_CHARACTERS.test(tokens[last]?.norm ?? '');
    const isNumber = /^\d+$/u.test(next.norm) && rule.policy === 'username';
    if (
      !inside &&
      !isNumber &&
      (rule.policy === 'username' || CLAUSE_ENDS.test(next.norm) || last - start >= 7)
    )
      break;
    last += 1;
  }
  const end = tokens[last];
  if (!end || (start === last && first.text.length < rule.min)) return undefined;
  return entitySpan(rule.policy, first.from, end.to, 84);
};

/** Whether all words up to the end of the clause are plain: "is too short". */
const isPlainEnd = (tokens: readonly Token[], start: number): boolean => {
  for (let at = start; at < start + 4; at += 1) {
    if (!isPlainWord(tokens[at]?.norm ?? '')) return false;
    if (tokens[at + 1] === undefined || /[.,!?;]/u.test(tokens[at]?.trail ?? '')) return true;
  }
  return false;
};
