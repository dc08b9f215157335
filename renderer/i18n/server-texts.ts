import type { Warning, WarningCode } from '../../electron/contract/warnings.ts';

/**
 * Texts that the server sends in English, in a language of the window: names of topics, warnings by their code, and the
 * reasons that are values of warnings, with what they name in `{0}`. Any other value stays as it is.
 */
export type ServerTexts = {
  readonly topics: Readonly<Record<string, string>>;
  readonly warnings: Readonly<Partial<Record<WarningCode, string>>>;
  readonly reasons: Readonly<Record<string, string>>;
};

export const NO_SERVER_TEXTS: ServerTexts = { topics: {}, warnings: {}, reasons: {} };

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patternOf = (english: string) =>
  new RegExp(
    `^${english
      .split(/\{\d\}/)
      .map(escapePattern)
      .join('(.*)')}$`,
    's',
  );

export const translateTopic = ({ topics }: ServerTexts, topic: string): string => topics[topic] ?? topic;

/** A text by the pattern that it fits, with its parts; undefined if it fits none. */
const translateBy = (
  patterns: Readonly<Record<string, string>>,
  text: string,
  translatePart: (part: string) => string,
): string | undefined => {
  for (const [english, translated] of Object.entries(patterns)) {
    const parts = patternOf(english).exec(text);
    if (parts !== null)
      return translated.replace(/\{(\d)\}/g, (_, index: string) =>
        translatePart(parts[Number(index) + 1] ?? ''),
      );
  }
  return undefined;
};

/** A warning's sentence; in English if the language lacks it. */
export const translateWarning = (
  { warnings, reasons }: ServerTexts,
  { code, message, values }: Warning,
): string => {
  const translated = code === null ? undefined : warnings[code];
  return (
    translated?.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? '';
      return translateBy(reasons, value, (same) => same) ?? value;
    }) ?? message
  );
};
