/**
 * Texts that the server sends in English, in a language of the window: names of topics, and sentences of warnings, whose
 * parts `{0}`, `{1}` stay as they are.
 */
export type ServerTexts = {
  readonly topics: Readonly<Record<string, string>>;
  readonly warnings: Readonly<Record<string, string>>;
};

export const NO_SERVER_TEXTS: ServerTexts = { topics: {}, warnings: {} };

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

/** A warning's sentence; in English if the language lacks it. */
export const translateWarning = ({ warnings }: ServerTexts, warning: string): string => {
  for (const [english, translated] of Object.entries(warnings)) {
    const parts = patternOf(english).exec(warning);
    if (parts !== null)
      return translated.replace(/\{(\d)\}/g, (_, index: string) => parts[Number(index) + 1] ?? '');
  }
  return warning;
};
