import { createStore } from 'zustand/vanilla';
import { formatMessage, type MessageValues } from './format.ts';
import english from './messages/en.json' with { type: 'json' };

export type MessageKey = keyof typeof english;
export type Messages = Readonly<Record<MessageKey, string>>;

export const LOCALES = ['en', 'de', 'es', 'fr'] as const;
export type Locale = (typeof LOCALES)[number];
/** Gives a message in the window's language, which it names as well. */
export type Translate = ((key: MessageKey, values?: MessageValues) => string) & { readonly language: Locale };
export const isLocale = (text: string): text is Locale => LOCALES.some((locale) => locale === text);

/** Each language by its own name, as people look for it. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
};

const loaders: Readonly<Record<Locale, () => Promise<Messages>>> = {
  en: async () => english,
  de: async () => (await import('./messages/de.json', { with: { type: 'json' } })).default,
  es: async () => (await import('./messages/es.json', { with: { type: 'json' } })).default,
  fr: async () => (await import('./messages/fr.json', { with: { type: 'json' } })).default,
};

const RIGHT_TO_LEFT = new Set(['ar', 'he', 'fa', 'ur', 'yi', 'ps', 'sd']);

export type I18nState = {
  readonly language: Locale;
  /** The language with the reader's own region where it has one: what numbers and dates are written by. */
  readonly locale: string;
  readonly t: Translate;
};

const translator = (messages: Messages, language: Locale, locale: string): Translate => {
  const translate = (key: MessageKey, values: MessageValues = {}) =>
    formatMessage(messages[key], values, locale);
  return Object.assign(translate, { language });
};

/** The window's language: `locale` and its `t`; `use` loads another one and tells the document. */
export const createI18n = () => {
  const store = createStore<I18nState>(() => ({
    language: 'en',
    locale: 'en',
    t: translator(english, 'en', 'en'),
  }));
  return {
    store,
    use: async (language: Locale) => {
      const messages = await loaders[language]();
      const locale = regional(language, navigator.languages);
      document.documentElement.lang = language;
      document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
      store.setState({ language, locale, t: translator(messages, language, locale) });
    },
  };
};
export type I18n = ReturnType<typeof createI18n>;

/** `en` for a reader in Britain is `en-GB`: dates and numbers follow the region. */
export const regional = (language: Locale, languages: readonly string[]): string =>
  languages.find((each) => each.toLowerCase().startsWith(`${language}-`)) ?? language;

/** The first of the browser's languages that the window speaks. */
export const preferredLocale = (languages: readonly string[]): Locale => {
  for (const language of languages) {
    const short = language.slice(0, 2).toLowerCase();
    if (isLocale(short)) return short;
  }
  return 'en';
};
