import type { Warning, WarningCode } from '../../electron/contract/warnings.ts';
import { languageName } from '../lib/format.ts';

/**
 * Texts that the server sends in English, in a language of the window: names of topics, warnings by their code, and the
 * reasons that are values of warnings, with what they name in braces. A `language` is named; any other value stays as it is.
 */
export type ServerTexts = {
  readonly topics: Readonly<Record<string, string>>;
  readonly warnings: Readonly<Partial<Record<WarningCode, string>>>;
  readonly reasons: Readonly<Record<string, string>>;
};

/** The server's own sentences, of those that name a language by its code. */
export const ENGLISH_TEXTS: ServerTexts = {
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
