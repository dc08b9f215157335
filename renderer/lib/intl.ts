/** Makes each formatter once: Intl's constructors look up a locale's data, up to a millisecond each. */
const once = <Options extends object, Formatter>(create: (locale: string, options: Options) => Formatter) => {
  const created = new Map<string, Formatter>();
  return (locale: string, options: Options): Formatter => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const formatter = created.get(key) ?? create(locale, options);
    created.set(key, formatter);
    return formatter;
  };
};

export const numberFormat = once(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);
export const dateFormat = once(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
export const relativeTimeFormat = once(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
export const listFormat = once(
  (locale, options: Intl.ListFormatOptions) => new Intl.ListFormat(locale, options),
);
export const displayNames = once(
  (locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options),
);
