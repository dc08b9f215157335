import lexicon from '../../../../resources/lexicons/dates.json' with { type: 'json' };
import { smallValueInAnyLanguage } from '../numbers/number-words.ts';
import { type DetectedSpan, entitySpan } from '../spans.ts';
import type { Token } from '../tokens.ts';

const MONTHS = new Set(lexicon.months);
/** Months that are also other words: they need a day, a year or a preposition. */
const DOUBTFUL = new Set(lexicon.doubtfulMonths);
const WEEKDAYS = new Set(lexicon.weekdays);
const DAYS = new Set(lexicon.days);
const SHIFT = new Set(lexicon.shifts);
const PERIODS = new Set(lexicon.periods);
const UNITS = new Set(lexicon.units);
const HOLIDAYS = lexicon.holidays.map((name) => name.split(' '));
const ORDINAL_WORDS = new Set(lexicon.ordinals);
const PREPOSITIONS = new Set(lexicon.prepositions);
const MONTH_LEAD = new Set(lexicon.monthLeads);
const DECADES = new Set(lexicon.decades);

/**
 * Detects dates from a day to a decade, absolute or relative ("March 3, 2021", "the ninth of November nineteen eighty
 * nine", "next Tuesday", "in 2019", "three weeks ago"), but no times of day or durations. Rules for English, German,
 * French and Spanish.
 */
export const findDates = (tokens: readonly Token[]): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const last = dateAt(tokens, at);
    const first = tokens[at];
    const end = last === undefined ? undefined : tokens[last];
    if (!first || !end || last === undefined) continue;
    const to = WEEKDAYS.has(end.stem) || DAYS.has(end.stem) || PERIODS.has(end.stem) ? end.stemTo : end.to;
    found.push(entitySpan('date', first.from, to, 62));
    at = last;
  }
  return found;
};

/** Returns the last token of the date that starts at `at`, or undefined for none. */
type Reader = (tokens: readonly Token[], at: number) => number | undefined;

const dateAt = (tokens: readonly Token[], at: number): number | undefined => {
  const token = tokens[at];
  if (!token || token.isBlocked || token.text === '') return undefined;
  for (const read of READERS) {
    const last = read(tokens, at);
    if (last !== undefined) return last;
  }
  return undefined;
};

const norm = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token && !token.isBlocked ? token.norm : '';
};
const stem = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  return token && !token.isBlocked ? token.stem : '';
};
/** Whether no sentence mark follows a token; a comma or an abbreviation's full stop may. */
const isSameClause = (tokens: readonly Token[], at: number): boolean =>
  !/[!?;:…]|\.(?!$)/u.test(tokens[at]?.trail ?? '!');
const hasNoMarkAfter = (tokens: readonly Token[], at: number): boolean => (tokens[at]?.trail ?? '-') === '';

const isNumeric = (value: string): boolean => {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/u.exec(value);
  if (iso) return isMonthAndDay(iso[2], iso[3]);
  const other = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/u.exec(value);
  return other !== null && (isMonthAndDay(other[1], other[3]) || isMonthAndDay(other[3], other[1]));
};

const isMonthAndDay = (month: string | undefined, day: string | undefined): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;

const numeric: Reader = (tokens, at) => (isNumeric(norm(tokens, at)) ? at : undefined);

/** A day of the month: "4", "4th", "fourth", "twenty first", "3." */
const day: Reader = (tokens, at) => {
  const word = norm(tokens, at);
  if (/^[23]0$/u.test(word) && ORDINAL_WORDS.has(norm(tokens, at + 1))) return at + 1;
  if (/^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er)?$/u.test(word) || ORDINAL_WORDS.has(word)) return at;
  if (/^(?:twenty|thirty)-\p{L}+$/u.test(word) && ORDINAL_WORDS.has(word.split('-')[1] ?? '')) return at;
  const value = smallValueInAnyLanguage(word);
  return value !== undefined && value >= 1 && value <= 31 && word !== 'o' ? at : undefined;
};

/** A year: "2021", or in two parts, "19 89", "19 0 5". */
const year: Reader = (tokens, at) => {
  const word = norm(tokens, at);
  if (/^(?:1[5-9]|20)\d\d$/u.test(word)) return at;
  if (!/^(?:1[5-9]|20)$/u.test(word) || !hasNoMarkAfter(tokens, at)) return undefined;
  if (/^[1-9]\d$/u.test(norm(tokens, at + 1))) return at + 1;
  return norm(tokens, at + 1) === '0' && /^\d$/u.test(norm(tokens, at + 2)) ? at + 2 : undefined;
};

/** "May 4th, 2021", "March 2021", "May the fourth". */
const monthFirst: Reader = (tokens, at) => {
  if (!MONTHS.has(stem(tokens, at)) || !isSameClause(tokens, at)) return bareMonth(tokens, at);
  const dayAt = norm(tokens, at + 1) === 'the' ? at + 2 : at + 1;
  const dotted = tokens[at]?.trail ?? '';
  const yearOnly = /^[,.]?$/u.test(dotted)
    ? year(tokens, norm(tokens, at + 1) === 'of' ? at + 2 : at + 1)
    : undefined;
  if (yearOnly !== undefined) return yearOnly;
  const end = /^\.?$/u.test(dotted) ? day(tokens, dayAt) : undefined;
  if (end === undefined) return bareMonth(tokens, at);
  if (
    DOUBTFUL.has(stem(tokens, at)) &&
    !/\d|st$|nd$|rd$|th$/u.test(norm(tokens, end)) &&
    !tokens[at]?.isCapitalized &&
    !isMonthLed(tokens, at)
  )
    return undefined;
  return withYear(tokens, end);
};

const isMonthLed = (tokens: readonly Token[], at: number) =>
  MONTH_LEAD.has(norm(tokens, at - 1)) || norm(tokens, at - 1) === 'on';

const bareMonth: Reader = (tokens, at) => {
  const word = stem(tokens, at);
  if (!MONTHS.has(word)) return undefined;
  if (!DOUBTFUL.has(word)) return word.length > 3 ? at : undefined;
  const led = MONTH_LEAD.has(norm(tokens, at - 1)) && !/^(?:to|and|for|from)$/u.test(norm(tokens, at - 1));
  return led &&
    (tokens[at]?.isCapitalized ||
      /^(?:in|since|until|last|next|by|this|early|late|im|en)$/u.test(norm(tokens, at - 1)))
    ? at
    : undefined;
};

/** Extends a day or month by the year after it, with or without a comma. */
const withYear = (tokens: readonly Token[], end: number): number => {
  if (!/^,?$/u.test(tokens[end]?.trail ?? '-')) return end;
  const skip = /^(?:of|de|del|in)$/u.test(norm(tokens, end + 1)) ? 2 : 1;
  return year(tokens, end + skip) ?? end;
};

/** "the fourth of July 2021", "3 March", "3. Mai", "el 3 de mayo de 2021". */
const dayFirst: Reader = (tokens, at) => {
  const start = norm(tokens, at) === 'the' ? at + 1 : at;
  const dayEnd = day(tokens, start);
  if (dayEnd === undefined || !/^\.?$/u.test(tokens[dayEnd]?.trail ?? '-')) return undefined;
  const link = /^(?:of|de)$/u.test(norm(tokens, dayEnd + 1));
  const month = dayEnd + (link ? 2 : 1);
  if (!MONTHS.has(stem(tokens, month))) return ordinalAlone(tokens, at, start, dayEnd);
  const end = withYear(tokens, month);
  return !link && end === month && DOUBTFUL.has(norm(tokens, month)) && !tokens[month]?.isCapitalized
    ? undefined
    : end;
};

/** A day of the month alone, after a preposition: "on the 14th". */
const ordinalAlone = (
  tokens: readonly Token[],
  at: number,
  start: number,
  end: number,
): number | undefined => {
  if (start === at || !/^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)$/u.test(norm(tokens, end))) return undefined;
  if (!/^(?:on|by|until|till|from|since|before|after)$/u.test(norm(tokens, at - 1))) return undefined;
  return /^(?:floor|street|avenue|grade|time|place|century|street|edition|day|item|anniversary|birthday|of)$/u.test(
    norm(tokens, end + 1),
  )
    ? undefined
    : end;
};

const weekday: Reader = (tokens, at) => {
  const start = SHIFT.has(norm(tokens, at)) && hasNoMarkAfter(tokens, at) ? at + 1 : at;
  if (!WEEKDAYS.has(stem(tokens, start))) return undefined;
  if (norm(tokens, at) === 'martes' && tokens[at]?.isCapitalized) return undefined;
  if (tokens[start]?.trail === ',' || hasNoMarkAfter(tokens, start)) {
    const more = monthFirst(tokens, start + 1) ?? dayFirst(tokens, start + 1);
    if (more !== undefined && more > start + 1) return more;
  }
  return start;
};

const relative: Reader = (tokens, at) => {
  const word = stem(tokens, at);
  if (DAYS.has(word))
    return /^(?:hier|morgen|mañana)$/u.test(word) && !languageDay(tokens, at) ? undefined : at;
  if (SHIFT.has(word) && hasNoMarkAfter(tokens, at)) {
    const next = stem(tokens, at + 1);
    if (PERIODS.has(next) || (MONTHS.has(next) && next.length > 2))
      return /^(?:fall|spring)$/u.test(next) && word === 'this' ? undefined : at + 1;
  }
  const phrase = [0, 1, 2, 3].map((step) => norm(tokens, at + step)).join(' ');
  if (/^the day (?:after tomorrow|before yesterday)$/u.test(phrase)) return at + 3;
  return undefined;
};

/** "hier" is also German for here, "morgen" and "mañana" also mean morning: dates only at the edge of a clause. */
const languageDay = (tokens: readonly Token[], at: number): boolean =>
  /[.,!?]/u.test(tokens[at]?.trail ?? '') && !tokens[at]?.isCapitalized && norm(tokens, at) !== 'hier';

/** "three weeks ago", "a year ago". */
const COUNT =
  /^(?:a|an|of|\d{1,3}|few|couple|several|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred)$/u;
const ago: Reader = (tokens, at) => {
  for (let unit = at; unit <= at + 3; unit++) {
    if (unit > at && UNITS.has(norm(tokens, unit)))
      return norm(tokens, unit + 1) === 'ago' ? unit + 1 : undefined;
    if (!COUNT.test(norm(tokens, unit)) || !hasNoMarkAfter(tokens, unit)) return undefined;
  }
  return undefined;
};

/** A year alone, after a preposition and not before a unit ("in 2000 cases"). */
const yearAlone: Reader = (tokens, at) => {
  const last = year(tokens, at);
  if (last === undefined) return undefined;
  const paired =
    /^(?:and|or|to)$/u.test(norm(tokens, at + 1)) &&
    [at, at + 2].every((one) => /^(?:19|20)\d\d$/u.test(norm(tokens, one)));
  if (paired) return at;
  if (!PREPOSITIONS.has(norm(tokens, at - 1))) return undefined;
  const first = norm(tokens, at);
  if (
    /^(?:of|to|for|and|about|around|from|by)$/u.test(norm(tokens, at - 1)) &&
    !/^(?:19|20)(?:\d\d)?$/u.test(first)
  )
    return undefined;
  if (/^\d/u.test(norm(tokens, last + 1)) && hasNoMarkAfter(tokens, last)) return undefined;
  const unit =
    /^(?:people|dollars|euros|users|units|percent|miles|meters|feet|pieces|customers|words|pages|times|hours|minutes|million|thousand|hundred|or|dot|point|point|dash)$/u;
  return unit.test(norm(tokens, last + 1)) && hasNoMarkAfter(tokens, last) ? undefined : last;
};

const decade: Reader = (tokens, at) => {
  if (/^(?:1[89]|20)\d0s$|^'?\d0s$/u.test(norm(tokens, at))) return at;
  const start = norm(tokens, at) === 'the' ? at + 1 : at;
  if (start > at && /^(?:1[89]|20)\d0s$|^'?\d0s$/u.test(norm(tokens, start))) return start;
  if (/^(?:early|late|mid)$/u.test(norm(tokens, start)) && DECADES.has(norm(tokens, start + 1)))
    return start + 1;
  if (start > at && DECADES.has(norm(tokens, start))) return start;
  return start > at && /^1[89]$/u.test(norm(tokens, start)) && DECADES.has(norm(tokens, start + 1))
    ? start + 1
    : undefined;
};

const quarter: Reader = (tokens, at) => {
  if (/^q[1-4]$/u.test(stem(tokens, at)))
    return year(tokens, norm(tokens, at + 1) === 'of' ? at + 2 : at + 1) ?? at;
  const start = norm(tokens, at) === 'the' ? at + 1 : at;
  if (!/^(?:first|second|third|fourth)$/u.test(norm(tokens, start)) || norm(tokens, start + 1) !== 'quarter')
    return undefined;
  return year(tokens, norm(tokens, start + 2) === 'of' ? start + 3 : start + 2) ?? start + 1;
};

/** "the end of June", "early 2020", "mid March". */
const part: Reader = (tokens, at) => {
  if (/^(?:early|late|mid)$/u.test(norm(tokens, at)) && hasNoMarkAfter(tokens, at)) {
    return (
      year(tokens, at + 1) ??
      (MONTHS.has(norm(tokens, at + 1)) ? (monthFirst(tokens, at + 1) ?? at + 1) : undefined)
    );
  }
  const start = norm(tokens, at) === 'the' ? at + 1 : at;
  if (/^(?:spring|summer|fall|autumn|winter)$/u.test(norm(tokens, start))) {
    const of = norm(tokens, start + 1) === 'of' ? start + 2 : start + 1;
    return year(tokens, of);
  }
  if (
    start === at ||
    !/^(?:end|beginning|start|middle)$/u.test(norm(tokens, start)) ||
    norm(tokens, start + 1) !== 'of'
  )
    return undefined;
  const rest = start + 2;
  if (
    /^the$/u.test(norm(tokens, rest)) &&
    /^(?:month|year|week|quarter|decade)$/u.test(norm(tokens, rest + 1))
  )
    return rest + 1;
  return (
    year(tokens, rest) ??
    relative(tokens, rest) ??
    (MONTHS.has(stem(tokens, rest)) ? (monthFirst(tokens, rest) ?? rest) : undefined)
  );
};

const holiday: Reader = (tokens, at) => {
  const name = HOLIDAYS.find((own) =>
    own.every((word, index) =>
      index === own.length - 1
        ? stem(tokens, at + index) === word || norm(tokens, at + index) === word
        : norm(tokens, at + index) === word,
    ),
  );
  return name ? at + name.length - 1 : undefined;
};

const READERS: readonly Reader[] = [
  numeric,
  part,
  quarter,
  holiday,
  relative,
  weekday,
  ago,
  decade,
  dayFirst,
  monthFirst,
  yearAlone,
];
