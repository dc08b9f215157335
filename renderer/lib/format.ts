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
const dateFormat = once(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
const relativeTimeFormat = once(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
const listFormat = once((locale, options: Intl.ListFormatOptions) => new Intl.ListFormat(locale, options));
const displayNames = once(
  (locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options),
);

const pad = (value: number) => String(value).padStart(2, '0');

/** Formats seconds as `2:19` or `1:14:08`; `long` always has hours: `00:12:04`. */
export const formatClock = (seconds: number, long = false): string => {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = pad(whole % 60);
  if (long) return `${pad(hours)}:${pad(minutes)}:${rest}`;
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
};

/** Formats seconds as `2:19.05`, for times that are adjusted by 10 ms. */
export const formatPreciseClock = (seconds: number): string => {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  return `${formatClock(hundredths / 100)}.${pad(hundredths % 100)}`;
};

const inUnit = (value: number, unit: string, locale: string, digits = 0): string =>
  numberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);

/** "1 minute 12.34 seconds", for screen readers. */
export const formatSpokenTime = (seconds: number, locale: string): string => {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  const minutes = Math.floor(hundredths / 6000);
  const rest = inUnit((hundredths % 6000) / 100, 'second', locale, 2);
  return minutes === 0 ? rest : `${inUnit(minutes, 'minute', locale)} ${rest}`;
};

/** Parses `1:14:08`, `14:08` or `8.5` to seconds; undefined for anything else. */
export const parseClock = (text: string): number | undefined => {
  const parts = text.trim().split(':');
  if (parts.length > 3 || parts.some((part) => !/^\d+(?:[.,]\d+)?$/.test(part))) return undefined;
  return parts.reduce((total, part) => total * 60 + Number(part.replace(',', '.')), 0);
};

/** The http(s) addresses of a text that consists of nothing else. */
export const parseLinks = (text: string): string[] => {
  const parts = text.trim().split(/\s+/);
  return parts.every((part) => /^https?:\/\/[^\s]+$/.test(part)) ? parts.filter((part) => part !== '') : [];
};

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats bytes in powers of 1024, as the server counts its limits. */
export const formatBytes = (size: number, locale: string): string => {
  const step = size < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(size) / Math.log(1024)));
  const value = size / 1024 ** step;
  return numberFormat(locale, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value);
};

/** The name of a language within a sentence, in the reader's language: "allemand"; its code if it has none. */
export const languageName = (code: string, locale: string): string => {
  try {
    return displayNames(locale, { type: 'language' }).of(code) ?? code;
  } catch {
    // Whisper has a few codes that are not ISO codes.
    return code;
  }
};

const capitalize = (text: string, locale: string): string =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

/** The name of a language by itself: "Allemand". */
export const formatLanguage = (code: string, locale: string): string => {
  const name = languageName(code, locale);
  return name === code ? code : capitalize(name, locale);
};

/** "English 62%, German 38%". */
export const formatLanguageShares = (
  languages: readonly { readonly language: string; readonly share: number }[],
  locale: string,
): string =>
  capitalize(
    languages
      .map(({ language, share }) => `${languageName(language, locale)} ${formatPercent(share, locale)}`)
      .join(', '),
    locale,
  );

/** "English, German". */
export const formatLanguages = (codes: readonly string[], locale: string): string =>
  capitalize(codes.map((code) => languageName(code, locale)).join(', '), locale);

/** "English, French and German". */
export const formatList = (items: readonly string[], locale: string): string =>
  listFormat(locale, {}).format(items);

const DAY = 86_400_000;
const startOfDay = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** "Today, 14:02", "Yesterday", "18 Nov", "18 Nov 2025". */
export const formatRelativeDay = (iso: string, locale: string, now: Date = new Date()): string => {
  const date = new Date(iso);
  const days = Math.round((startOfDay(now) - startOfDay(date)) / DAY);
  if (days === 0 || days === 1) {
    const word = relativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day');
    const label = capitalize(word, locale);
    const time = dateFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(date);
    return days === 0 ? `${label}, ${time}` : label;
  }
  return dateFormat(locale, {
    day: 'numeric',
    month: 'short',
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
  }).format(date);
};

/** Formats `2026-11-20` as "20 Nov 2026"; empty for an invalid date. */
export const formatDay = (day: string, locale: string): string => {
  const date = new Date(`${day}T12:00:00`);
  return Number.isNaN(date.getTime()) ? '' : dateFormat(locale, { dateStyle: 'medium' }).format(date);
};

/** "20 Nov 2026, 14:02". */
export const formatDateTime = (iso: string, locale: string): string =>
  dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** Rounds seconds to one unit: "40 sec", "8 min", "2 hr". */
export const formatDuration = (seconds: number, locale: string): string => {
  const [value, unit] =
    seconds < 60
      ? [Math.max(1, Math.round(seconds)), 'second']
      : seconds < 5400
        ? [Math.round(seconds / 60), 'minute']
        : [Math.round(seconds / 360) / 10, 'hour'];
  return numberFormat(locale, { style: 'unit', unit: String(unit), unitDisplay: 'short' }).format(
    Number(value),
  );
};

export const formatPercent = (share: number, locale: string, digits = 0): string =>
  numberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share);

export const formatNumber = (value: number, locale: string, digits = 0): string =>
  numberFormat(locale, { maximumFractionDigits: digits }).format(value);
