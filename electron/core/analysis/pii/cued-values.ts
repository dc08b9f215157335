import type { PiiPolicy } from '../../../contract/analysis.ts';
import { spelledPartsFrom } from '../entities/spelled.ts';
import { VALUE_CUES } from '../numbers/cues.ts';
import { type DetectedSpan, entitySpan } from '../spans.ts';
import type { Token } from '../tokens.ts';

/** The cues stand in numbers/cues.ts, whose detection of numbers shares them. */
type CueRule = {
  policy: PiiPolicy;
  cues: readonly string[];
  /** Length of the value in letters and digits. */
  minLength: number;
  maxLength: number;
  needsDigit: boolean;
};

/** A cue only before a colon and a value with digits: "pass: x1", but not "pass: the exam". */
const WEAK_CUE = 'pass';

/** Cues only before a value with digits: "the passwords are x1 and x2", but not "passwords are important". */
const PLURAL_CUE = /^(?:usernames|names|logins|passwords|pins|codes|passwörter|contraseñas)$/u;

const RULES: readonly CueRule[] = [
  {
    policy: 'passport_number',
    cues: VALUE_CUES.passport,
    minLength: 6,
    maxLength: 12,
    needsDigit: true,
  },
  {
    policy: 'drivers_license',
    cues: VALUE_CUES.license,
    minLength: 5,
    maxLength: 16,
    needsDigit: true,
  },
  {
    policy: 'vehicle_id',
    cues: VALUE_CUES.vehicle,
    minLength: 4,
    maxLength: 17,
    needsDigit: true,
  },
  {
    policy: 'username',
    cues: [
      'username',
      'usernames',
      'user name',
      'user names',
      'login',
      'logins',
      'log-in',
      'user id',
      'handle',
      'screen name',
      'gamertag',
      'benutzername',
      "nom d'utilisateur",
      'usuario',
    ],
    minLength: 3,
    maxLength: 30,
    needsDigit: false,
  },
  {
    policy: 'password',
    cues: [...VALUE_CUES.password, WEAK_CUE],
    minLength: 3,
    maxLength: 40,
    needsDigit: false,
  },
];

/** First words of all cues: skips most tokens with one lookup. */
const FIRST_WORDS = new Set(RULES.flatMap((rule) => rule.cues.map((cue) => cue.split(' ')[0] ?? '')));
const LINKING_WORDS =
  /^(?:is|was|number|numbers|no|nr|n|num|are|it's|its|ist|lautet|heißt|est|es|for|the|account|called|set|to|my|this|that|on|reads|equals|nummer|numéro|numero|número)$/u;
/** Words that may stand between a cue and "to", "be" and the like: "password has been changed to". */
const CHANGE_WORDS =
  /^(?:has|have|been|will|should|must|be|just|now|changed|reset|updated|switched|wurde|auf|zu|geändert|a|été|changé|en|à|sido|cambiada|fue)$/u;
/** What ends such words, right before the value. */
const CHANGE_LINKS = /^(?:is|was|to|be|now|auf|zu|en|à|a)$/u;
const CLAUSE_ENDS =
  /^(?:and|but|or|so|then|with|because|please|for|in|on|that|which|to|und|et|y|now|okay|ok|if|at|don't|do|can|write|you|i|it|is|was|expires|expired|has|have|will|not|wrong|incorrect|reset|changed|required|protected|again|too|manager|field|been)$/u;
/** Signs around a quoted value, which ends where they do. */
const OPENS = /["'“”„‘«»‹›「『([{<`*_~|=\\/]$/u;
const CLOSES = /^["'”“’»«›‹」』)\]}>`*_~|=\\/]/u;
const SPOKEN_CHARACTERS =
  /^(?:dash|hyphen|underscore|dot|minus|plus|space|capital|uppercase|lowercase|hash|hashtag|star|dollar|exclamation|mark|point|question|at|ampersand|slash)$/u;

/** Between the values of a list: "X1234567, X2345678 and X3456789". */
const LIST_WORDS = /^(?:and|or|und|oder|et|ou|y|o|e|also|sowie)$/u;

/** Detects values by the words before them: passports, driver's licenses, plates, user names, passwords. */
export const findCuedValues = (tokens: readonly Token[], language: string): DetectedSpan[] => [
  ...findCodesBefore(tokens),
  ...tokens.flatMap((token, at) =>
    FIRST_WORDS.has(token.norm)
      ? RULES.flatMap((rule) => {
          const first = valueAfter(tokens, at, rule, language);
          return first ? [first, ...furtherCodes(tokens, at, first, rule)] : [];
        })
      : [],
  ),
];

/** Codes before their cue: "use hunter2 as the password". */
const findCodesBefore = (tokens: readonly Token[]): DetectedSpan[] =>
  tokens.flatMap((token, at) => {
    const [link, article, cue] = [1, 2, 3].map((step) => tokens[at + step]?.norm ?? '');
    if (
      !/^(?:as|is|for|was)$/u.test(link ?? '') ||
      !/^(?:the|my|your|our|her|his|their|a)$/u.test(article ?? '')
    )
      return [];
    const rule = RULES.find(({ cues }) => cue !== WEAK_CUE && cues.includes(cue ?? ''));
    const isMixed = /\p{L}/u.test(token.text) && /\d/u.test(token.text);
    return rule && isMixed && isCode(token, rule) ? [entitySpan(rule.policy, token.from, token.to, 82)] : [];
  });

/** A whole code in one token: digits with letters, or as many digits as a code has. */
const isCode = ({ text, isBlocked }: Token, { minLength, maxLength, needsDigit }: CueRule): boolean => {
  const value = text.replace(/[^\p{L}\p{N}]/gu, '');
  const hasEnough = value.length >= Math.max(minLength, 4) && value.length <= maxLength;
  const isMixed = /\d/u.test(value) && /\p{L}/u.test(value);
  return (
    !isBlocked && hasEnough && (isMixed || /^\d{6,}$/u.test(value) || (needsDigit && /^\d+$/u.test(value)))
  );
};

/** The other codes of a list that begins with a cued value. */
const furtherCodes = (
  tokens: readonly Token[],
  from: number,
  value: DetectedSpan,
  rule: CueRule,
): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
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

const valueAfter = (
  tokens: readonly Token[],
  at: number,
  rule: CueRule,
  language: string,
): DetectedSpan | undefined => {
  const cueEnd = Math.max(...rule.cues.map((cue) => endOfPhrase(tokens, at, cue) ?? -1));
  if (cueEnd < 0 || /[.!?]/u.test(tokens[cueEnd]?.trail ?? '')) return undefined;
  let start = cueEnd + 1;
  let linked = /[:]/u.test(tokens[cueEnd]?.trail ?? '');
  const first = tokens[start];
  const isWeak = cueEnd === at && first !== undefined && tokens[at]?.norm === WEAK_CUE;
  if (isWeak && !(linked && isCode(first, rule))) return undefined;
  let hasChange = false;
  for (; start - cueEnd < 8; start++) {
    const word = tokens[start]?.norm ?? '';
    // A sign by itself: "passport # X1234567".
    if (word === '' && tokens[start] !== undefined) continue;
    const isChange = CHANGE_WORDS.test(word);
    if (!isChange && !LINKING_WORDS.test(word)) break;
    hasChange ||= isChange;
    linked ||= /^(?:is|was|are|it's|ist|lautet|heißt|est|es|reads|equals|to|be|auf|zu)$/u.test(word);
    if (/[.!?]/u.test(tokens[start]?.trail ?? '')) return undefined;
  }
  const isPlural = PLURAL_CUE.test(tokens[cueEnd]?.norm ?? '') || tokens[at]?.norm === 'mots';
  if (isPlural && !/\d/u.test(tokens[start]?.text ?? '')) return undefined;
  if (hasChange && !CHANGE_LINKS.test(tokens[start - 1]?.norm ?? '')) return undefined;
  linked ||= hasChange;
  return rule.needsDigit
    ? codeAt(tokens, start, rule, language)
    : wordsAt(tokens, start, rule, linked, language);
};

const endOfPhrase = (tokens: readonly Token[], at: number, cue: string): number | undefined => {
  const words = cue.split(' ');
  return words.every((word, index) => tokens[at + index]?.norm === word) ? at + words.length - 1 : undefined;
};

/** A spelled or written code with at least one digit. */
const codeAt = (
  tokens: readonly Token[],
  start: number,
  rule: CueRule,
  language: string,
): DetectedSpan | undefined => {
  const all = spelledPartsFrom(tokens, start, language, 20);
  const codes = all.filter(({ token }) => isCode(token, rule));
  const pieces = codes[1] === undefined ? all : all.slice(0, all.indexOf(codes[1]));
  const value = pieces.map((piece) => piece.value).join('');
  const first = pieces[0]?.token;
  const last = pieces.at(-1)?.token;
  if (
    !first ||
    !last ||
    value.length < rule.minLength ||
    value.length > rule.maxLength + 3 ||
    !/\d/u.test(value)
  )
    return undefined;
  return entitySpan(rule.policy, first.from, last.to, 83);
};

/** The words up to the end of the clause, at most eight, or a spelled value. */
const wordsAt = (
  tokens: readonly Token[],
  start: number,
  rule: CueRule,
  linked: boolean,
  language: string,
): DetectedSpan | undefined => {
  const first = tokens[start];
  if (!first || first.isBlocked || CLAUSE_ENDS.test(first.norm)) return undefined;
  const spelled = spelledPartsFrom(tokens, start, language, 40).length;
  if (!linked && spelled < 3 && !/\d/u.test(first.text)) return undefined;
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
    if (!inside && (rule.policy === 'username' || CLAUSE_ENDS.test(next.norm) || last - start >= 7)) break;
    last += 1;
  }
  const end = tokens[last];
  if (!end || (start === last && first.text.length < rule.minLength)) return undefined;
  return entitySpan(rule.policy, first.from, end.to, 84);
};
