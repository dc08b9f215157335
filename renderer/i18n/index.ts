import { createStore } from 'zustand/vanilla';
import type { Warning } from '../../electron/contract/warnings.ts';
import { formatMessage, type MessageValues } from './format.ts';
import english from './messages/en.json' with { type: 'json' };
import { ENGLISH_TEXTS, type ServerTexts, translateTopic, translateWarning } from './server-texts.ts';

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
