import lexicon from '../../../../resources/lexicons/cues.json' with { type: 'json' };
import { isPlainWord } from '../names/plain-words.ts';
import { type DetectedSpan, hiddenSpan } from '../spans.ts';
import type { Token } from '../tokens.ts';

const MONTHS = new Set(Object.values(lexicon.months).flat());
const ORDINALS = new Set(Object.values(lexicon.ordinals).flat());
const LINKS = new Set(lexicon.dateLinks);
/** "14th", "30er", "3º", "10/21/1941", and "dreißigsten" read as "30 sten". */
const DAY = /^(?:\d{1,4}(?:st|nd|rd|th|er|re|º|ª|°|e)?|\d{1,4}(?:[./-]\d{1,4}){1,2})$/u;
/** How far a date may be from its cue: "born in Denver on March 3". */
const REACH = 6;
const MAX_AGE = 125;

type Range = { readonly first: number; readonly last: number };

const isNumber = (token: Token | undefined): boolean => DAY.test(token?.norm ?? '') && !token?.isBlocked;
const isMonth = (token: Token | undefined): boolean => MONTHS.has(token?.stem ?? '');
const isPart = (token: Token | undefined): boolean =>
  isNumber(token) ||
  isMonth(token) ||
  ORDINALS.has(token?.norm ?? '') ||
  /^\p{L}+(?:st|sec|third|dr)?(?:zig|zehn|und\p{L}+)(?:sten|ten)$/u.test(token?.norm ?? '');

/** A date that begins here: a month or a year, or at least two numbers. */
const dateFrom = (tokens: readonly Token[], first: number, most: number): Range | undefined => {
  let last = first;
  let parts = 0;
  for (let at = first; at < tokens.length && parts < most; at += 1) {
    const token = tokens[at];
    if (isPart(token)) {
      last = at;
      parts += 1;
    } else if (!LINKS.has(token?.norm ?? '') || at - last > 2) break;
    if (
      /[!?;]/u.test(token?.trail ?? '') ||
      (/\./u.test(token?.trail ?? '') && !isPart(tokens[at + 1]) && !LINKS.has(tokens[at + 1]?.norm ?? ''))
    )
      break;
  }
  const own = tokens.slice(first, last + 1);
  const isDate =
    own.some(isMonth) ||
    own.some(({ norm }) => /^(?:1[89]|20)\d\d$|[./-]/u.test(norm)) ||
    own.filter(isPart).length >= 2;
  return isDate ? { first, last } : undefined;
};

/** The date after a cue of birth or expiry. */
export const dateAfter = (tokens: readonly Token[], start: number, most: number): Range | undefined => {
  for (let at = start; at < start + REACH && at < tokens.length; at += 1) {
    if (isPart(tokens[at])) {
      const date = dateFrom(tokens, at, most);
      return date && { ...date, first: tokens[at - 1]?.norm === 'the' ? at - 1 : at };
    }
    if (/[.!]/u.test(tokens[at]?.trail ?? '')) return undefined;
  }
  return undefined;
};

/** The date right before a cue: "am 9. Oktober Geburtstag". */
export const dateBefore = (tokens: readonly Token[], cue: number): Range | undefined => {
  let first = cue;
  while (
    first > 0 &&
    cue - first < 5 &&
    (isPart(tokens[first - 1]) || LINKS.has(tokens[first - 1]?.norm ?? ''))
  )
    first -= 1;
  while (first < cue && !isPart(tokens[first])) first += 1;
  const range = first < cue ? dateFrom(tokens, first, 5) : undefined;
  return range && range.last < cue ? range : undefined;
};

const OLD = lexicon.ageUnits.old;
const YEARS = new Set(lexicon.ageUnits.years);
const HAVE = new Set(lexicon.ageUnits.have);

/** After years of something else: "20 ans d'expérience". */
const COUNTED =
  /^(?:de|d'\p{L}*|di|of|van|seit|später|lang|garantie|am|zuvor|zurück|fa|atrás|later|na|geleden)$/u;

const isAge = (token: Token | undefined): boolean =>
  /^\d{1,3}$/u.test(token?.norm ?? '') && Number(token?.norm) <= MAX_AGE;

/** The age after a cue such as "turned" or "how old", unless something else is counted. */
export const ageAfter = (tokens: readonly Token[], start: number): Range | undefined => {
  for (let at = start; at < start + 5; at += 1) {
    const token = tokens[at];
    if (token && isAge(token)) {
      const next = tokens[at + 1];
      const isAlone =
        next === undefined ||
        token.trail !== '' ||
        isPlainWord(next.norm) ||
        isMonth(next) ||
        YEARS.has(next.norm) ||
        /^(?:last|next|now|today|years?|geworden|ad|aan|i)$/u.test(next.norm);
      return isAlone && Number(token.norm) >= 3 ? { first: at, last: at } : undefined;
    }
    const isBetween =
      at < start + 4 &&
      (isPlainWord(token?.norm ?? '') ||
        isMonth(token) ||
        /^(?:herbst|spring|summer|winter|fall|autumn|sommer|frühling)$/u.test(token?.norm ?? ''));
    if (!isBetween && !/\?/u.test(token?.trail ?? '')) return undefined;
  }
  return undefined;
};

/** Whether a number is an age by its unit: the last token of "63 Jahre alt", "tengo 63 años", "…, 38 ans, …". */
const lastOfAge = (tokens: readonly Token[], at: number): number | undefined => {
  const token = tokens[at];
  if (/^(?:\p{L}+(?:-\p{L}+)?|\d{1,3})-years?-olds?$/u.test(token?.norm ?? '')) return at;
  if (!token || !isAge(token) || token.trail !== '') return undefined;
  const after = [1, 2, 3].map((step) => tokens[at + step]?.norm ?? '').join(' ');
  const old = OLD.find((unit) => `${after} `.startsWith(`${unit} `));
  if (old !== undefined) return at + old.split(' ').length;
  const unit = tokens[at + 1];
  if (!unit || !YEARS.has(unit.norm)) return undefined;
  const isCounted = COUNTED.test(tokens[at + 2]?.norm ?? '') && unit.trail === '';
  const ends = /[,.]/u.test(unit.trail) || tokens[at + 2] === undefined;
  const isApart = (tokens[at - 1]?.trail ?? '').includes(',') && ends;
  return (HAVE.has(tokens[at - 1]?.norm ?? '') && !isCounted) || isApart ? at + 1 : undefined;
};

/** Ages by their unit, in tokens whose spoken numbers are read as digits. */
export const findAges = (tokens: readonly Token[]): DetectedSpan[] =>
  tokens.flatMap((token, at) => {
    const last = lastOfAge(tokens, at);
    const end = last === undefined ? undefined : tokens[last];
    return end && !token.isBlocked ? [hiddenSpan('person_age', token.from, end.stemTo, 66)] : [];
  });
