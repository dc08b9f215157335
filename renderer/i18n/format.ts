/** Values for the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number>>;

const PLURAL = /\{(\w+), plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g;
const BRANCH = /(\w+) \{([^{}]*)\}/g;

/**
 * Formats a message in a subset of ICU MessageFormat: `{name}` inserts a value, and `{count, plural, one {# word}
 * other {# words}}` selects by the plural rules of the language, with `#` as the formatted number.
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

/** The sorted names of a message's placeholders; every translation has the same. */
export const placeholders = (message: string): string[] =>
  [...new Set([...message.replace(PLURAL, '{$1}').matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))]
    .filter((name) => name !== '')
    .sort();
