import type { Translate } from '../i18n/index.ts';

const COLORS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** "A" → 0, "B" → 1, …, "AA" → 26. */
export const speakerIndex = (id: string): number =>
  [...id].reduce((total, letter) => total * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The CSS color of a speaker: six colors in turn. */
export const speakerColor = (index: number): string =>
  `var(--speaker-${COLORS[((index % 6) + 6) % 6] ?? 'a'})`;

/** The colors that a person can give: their indices. */
export const COLOR_INDICES = COLORS.map((_, index) => index);

/** The label of a speaker without a given name, whose name is "Speaker A"; undefined for a given name. */
const unnamedLabel = (name: string): string | undefined => /^Speaker ([A-Z]{1,3})$/.exec(name)?.[1];

/** A given name, else "Speaker A" in the window's language. */
export const shownName = (name: string, t: Translate): string => {
  const label = unnamedLabel(name);
  return label === undefined ? name : t('speaker.unnamed', { id: label });
};

/** What stands for a speaker in an avatar: the first character of a given name, else the label. */
export const speakerInitial = (name: string): string => {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return unnamedLabel(name) ?? first?.segment.toUpperCase() ?? '';
};
