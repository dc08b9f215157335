/** Values that a message may take. */
export type MessageValues = Readonly<Record<string, string | number>>;

const PLURAL = /\{(\w+), plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g;
const BRANCH = /(\w+) \{([^{}]*)\}/g;

/**
 * Fills one message: `{name}` is a value, `{count, plural, one {# word} other {# words}}` chooses by the
 * language's own plural rules, `#` being the number as the language writes it. A subset of ICU MessageFormat.
 */
export const formatMessage = (message: string, values: MessageValues, locale: string): string => {
  const number = new Intl.NumberFormat(locale);
  const show = (value: string | number) => (typeof value === 'number' ? number.format(value) : value);
  return message
    .replace(PLURAL, (whole, name: string, branches: string) => {
      const value = values[name];
      if (typeof value !== 'number') return whole;
      const wanted = new Intl.PluralRules(locale).select(value);
      const texts = new Map([...branches.matchAll(BRANCH)].map((match) => [match[1], match[2] ?? '']));
      return (texts.get(wanted) ?? texts.get('other') ?? '').replaceAll('#', number.format(value));
    })
    .replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : show(value);
    });
};

/** The names of the values that a message takes, sorted: what a translation must take as well. */
export const placeholders = (message: string): string[] =>
  [...new Set([...message.replace(PLURAL, '{$1}').matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))]
    .filter((name) => name !== '')
    .sort();
