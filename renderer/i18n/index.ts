import { IntlMessageFormat } from 'intl-messageformat';
import { createStore } from 'zustand/vanilla';
import type { Warning, WarningCode } from '../../electron/contract/warnings.ts';
import { languageName, numberFormat } from '../lib/format.ts';
import english from './messages/en.json' with { type: 'json' };

/**
 * Texts that the server sends in English, in a language of the window: names of topics, warnings by their code, and the
 * reasons that are values of warnings, with what they name in braces. A `language` is named; any other value stays as it is.
 */
type ServerTexts = {
  readonly topics: Readonly<Record<string, string>>;
  readonly warnings: Readonly<Partial<Record<WarningCode, string>>>;
  readonly reasons: Readonly<Record<string, string>>;
};

/** The server's own sentences, of those that name a language by its code. */
const ENGLISH_TEXTS: ServerTexts = {
  topics: {},
  warnings: {
    english_written:
      'The model {model} wrote English at {places}, although the recording is in another language ({language}). A Whisper model keeps to one language.',
    other_language:
      'Another language ({language}) than the one that was asked for is spoken at {places}: the text there may be a translation, or wrong.',
    not_verified: 'The text was not checked with the model {model}: {reason}.',
  },
  reasons: {
    'it does not know the language of the recording ({language})':
      'it does not know the language of the recording ({language})',
  },
};

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const PLACE = /\{(\w+)\}/g;

const patternOf = (english: string) =>
  new RegExp(
    `^${english
      .split(PLACE)
      .map((part, index) => (index % 2 === 0 ? escapePattern(part) : `(?<${part}>.*)`))
      .join('')}$`,
    's',
  );

export const translateTopic = ({ topics }: ServerTexts, topic: string): string => topics[topic] ?? topic;

type Values = Readonly<Record<string, string>>;

/** Fills in the places of a text; `show` gives the form in which a value is read. */
const fillIn = (text: string, values: Values, show: (name: string, value: string) => string): string =>
  text.replace(PLACE, (_, name: string) => show(name, values[name] ?? ''));

/** A warning's sentence, with languages named in `locale`; in English if the window's language lacks it. */
export const translateWarning = (
  { warnings, reasons }: ServerTexts,
  { code, message, values }: Warning,
  locale: string,
): string => {
  const named = (name: string, value: string) => (name === 'language' ? languageName(value, locale) : value);
  const translateReason = (reason: string): string => {
    for (const [english, translated] of Object.entries(reasons)) {
      const parts = patternOf(english).exec(reason);
      if (parts !== null) return fillIn(translated, parts.groups ?? {}, named);
    }
    return reason;
  };
  const text = code === null ? undefined : warnings[code];
  if (text === undefined) return message;
  return fillIn(text, values, (name, value) =>
    name === 'reason' ? translateReason(value) : named(name, value),
  );
};

/** Values for the placeholders of a message. */
type MessageValues = Readonly<Record<string, string | number>>;

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

export type MessageKey = keyof typeof english;
export type Messages = Readonly<Record<MessageKey, string>>;

type Language = {
  /** The language's name in itself: `Deutsch`. */
  readonly name: string;
  readonly load: () => Promise<{ readonly default: Partial<Messages> }>;
  readonly loadServerTexts?: () => Promise<{ readonly default: ServerTexts }>;
};

/** The languages of the window. A new one is a message file and one line here; what it lacks is shown in English. */
const LANGUAGES = {
  en: { name: 'English', load: async () => ({ default: english }) },
  de: {
    name: 'Deutsch',
    load: () => import('./messages/de.json', { with: { type: 'json' } }),
    loadServerTexts: () => import('./server-texts/de.json', { with: { type: 'json' } }),
  },
  es: {
    name: 'Español',
    load: () => import('./messages/es.json', { with: { type: 'json' } }),
    loadServerTexts: () => import('./server-texts/es.json', { with: { type: 'json' } }),
  },
  fr: {
    name: 'Français',
    load: () => import('./messages/fr.json', { with: { type: 'json' } }),
    loadServerTexts: () => import('./server-texts/fr.json', { with: { type: 'json' } }),
  },
} satisfies Readonly<Record<string, Language>>;

export type Locale = keyof typeof LANGUAGES;
const languageOf = (locale: Locale): Language => LANGUAGES[locale];
const isLocale = (text: string): text is Locale => Object.hasOwn(LANGUAGES, text);
export const LOCALES: readonly Locale[] = Object.keys(LANGUAGES).filter(isLocale);
export const languageLabel = (locale: Locale): string => LANGUAGES[locale].name;
/** The messages that the language itself has. */
export const loadTranslation = async (locale: Locale): Promise<Partial<Messages>> =>
  typesetAll((await LANGUAGES[locale].load()).default, locale);

/** The texts of the server that the language has; the others stay in English. */
export const loadServerTexts = async (locale: Locale): Promise<ServerTexts> =>
  typesetAll((await languageOf(locale).loadServerTexts?.())?.default ?? ENGLISH_TEXTS, locale);

/** Keeps French punctuation with its word: a narrow space that does not break before `; ! ?`, a wide one before `:` and in « ». */
export const typesetFrench = (text: string): string =>
  text.replace(/ (?=[;!?%])/g, '\u202f').replace(/ (?=[:»])|(?<=«) /g, '\u00a0');

/** Typesets every text of a value that was read from JSON. */
const typesetAll = <T>(texts: T, locale: Locale): T =>
  locale !== 'fr'
    ? texts
    : JSON.parse(JSON.stringify(texts), (_, value: unknown) =>
        typeof value === 'string' ? typesetFrench(value) : value,
      );

/** A translation, with English if it lacks a message: a message is added in English first. */
export const withFallback = (translation: Partial<Messages>): Messages =>
  translation === english ? english : { ...english, ...translation };

/** Looks up a message in the window's language and fills in its values. */
export type Translate = ((key: MessageKey, values?: MessageValues) => string) & { readonly language: Locale };

const RIGHT_TO_LEFT = new Set(['ar', 'he', 'fa', 'ur', 'yi', 'ps', 'sd']);

export type I18nState = {
  readonly language: Locale;
  /** The language with the reader's region if known: formats numbers and dates. */
  readonly locale: string;
  readonly t: Translate;
  /** A topic's name in the window's language. */
  readonly topicName: (topic: string) => string;
  /** A warning of the server in the window's language. */
  readonly warningText: (warning: Warning) => string;
};

const createTranslate = (messages: Messages, language: Locale, locale: string): Translate => {
  const translate = (key: MessageKey, values: MessageValues = {}) =>
    formatMessage(messages[key], values, locale);
  return Object.assign(translate, { language });
};

/** Holds the window's language; `use` loads another one and sets the document's `lang` and `dir`. */
export const createI18n = () => {
  const store = createStore<I18nState>(() => ({
    language: 'en',
    locale: 'en',
    t: createTranslate(english, 'en', 'en'),
    topicName: (topic) => topic,
    warningText: (warning) => translateWarning(ENGLISH_TEXTS, warning, 'en'),
  }));
  return {
    store,
    use: async (language: Locale) => {
      const [translation, texts] = await Promise.all([loadTranslation(language), loadServerTexts(language)]);
      const messages = withFallback(translation);
      const locale = withRegion(language, navigator.languages);
      document.documentElement.lang = language;
      document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
      store.setState({
        language,
        locale,
        t: createTranslate(messages, language, locale),
        topicName: (topic) => translateTopic(texts, topic),
        warningText: (warning) => translateWarning(texts, warning, locale),
      });
    },
  };
};
export type I18n = ReturnType<typeof createI18n>;

/** Adds the reader's region: `en` becomes `en-GB` if the browser prefers that. */
export const withRegion = (language: Locale, languages: readonly string[]): string =>
  languages.find((each) => each.toLowerCase().startsWith(`${language}-`)) ?? language;

/** The first of the browser's languages that the window has messages for. */
export const preferredLocale = (languages: readonly string[]): Locale => {
  for (const language of languages) {
    const short = language.slice(0, 2).toLowerCase();
    if (isLocale(short)) return short;
  }
  return 'en';
};
