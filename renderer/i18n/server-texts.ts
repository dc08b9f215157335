/**
 * Texts that the server sends in English, in a language of the window: names of topics, sentences of warnings, and the
 * reasons that stand in their places `{0}`, `{1}`. Anything else in such a place stays as it is.
 */
export type ServerTexts = {
  readonly topics: Readonly<Record<string, string>>;
  readonly warnings: Readonly<Record<string, string>>;
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
export const translateWarning = ({ warnings, reasons }: ServerTexts, warning: string): string =>
  translateBy(warnings, warning, (part) => translateBy(reasons, part, (same) => same) ?? part) ?? warning;
