import { IntlMessageFormat } from 'intl-messageformat';
import { numberFormat } from '../lib/intl.ts';

/** Values for the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** What a message says in one locale: parsed once. */
type Parsed = {
  readonly format: IntlMessageFormat;
  /** The names of its placeholders. */
  readonly names: ReadonlySet<string>;
  /** Those that select a plural form, which need the number itself. */
  readonly counts: ReadonlySet<string>;
};

type MessageElements = Readonly<ReturnType<IntlMessageFormat['getAst']>>;
const TYPE = { literal: 0, plural: 6, pound: 7 } as const;

const collect = (elements: MessageElements, names: Set<string>, counts: Set<string>): void => {
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
    names.add(element.value);
    if (element.type === TYPE.plural) counts.add(element.value);
    if ('options' in element)
      for (const { value } of Object.values(element.options)) collect(value, names, counts);
  }
};

const parse = (message: string, locale: string): Parsed => {
  const format = new IntlMessageFormat(message, locale, undefined, { ignoreTag: true });
  const [names, counts] = [new Set<string>(), new Set<string>()];
  collect(format.getAst(), names, counts);
  return { format, names, counts };
};

const parsed = new Map<string, Parsed>();
const parsedOnce = (message: string, locale: string): Parsed => {
  const key = `${locale} ${message}`;
  const known = parsed.get(key) ?? parse(message, locale);
  parsed.set(key, known);
  return known;
};

/**
 * Formats a message in ICU MessageFormat: `{name}` inserts a value, numbers in the form of the locale, and
 * `{count, plural, one {# word} other {# words}}` selects by the plural rules of the language.
 * A placeholder without a value stays as it is written.
 */
export const formatMessage = (message: string, values: MessageValues, locale: string): string => {
  if (!message.includes('{')) return message;
  const { format, names, counts } = parsedOnce(message, locale);
  const number = numberFormat(locale, {});
  const shown = [...names].map((name) => {
    const value = values[name] ?? `{${name}}`;
    return [name, typeof value === 'number' && !counts.has(name) ? number.format(value) : value];
  });
  return String(format.format(Object.fromEntries(shown)));
};

/** The sorted names of a message's placeholders; every translation has the same. */
export const placeholders = (message: string): string[] => [...parse(message, 'en').names].sort();
