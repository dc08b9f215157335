/** What is written on the keys of a country, if it differs from the English names. */
const KEY_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: { Ctrl: 'Strg', Del: 'Entf', Space: 'Leertaste' },
  es: { Del: 'Supr', Space: 'Espacio' },
  fr: { Del: 'Suppr', Space: 'Espace', Esc: 'Échap' },
};

/** Names keys as the keyboards of a language do: `Ctrl E` becomes `Strg E`. */
export const nameKeys = (keys: string, language: string): string =>
  keys
    .split(' ')
    .map((key) => KEY_NAMES[language]?.[key] ?? key)
    .join(' ');

/** Inputs without a text; letters are not theirs. */
const NOT_TEXT = '[type="range"], [type="checkbox"], [type="radio"]';

/** True for fields that take letters, which keep their keys and pasted texts. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches(`input:not(${NOT_TEXT}), textarea, select, [role="combobox"]`));
