const COLORS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** "A" → 0, "B" → 1, …, "AA" → 26. */
export const speakerIndex = (id: string): number =>
  [...id].reduce((total, letter) => total * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The CSS color of a speaker: six colors in turn. */
export const speakerColor = (index: number): string =>
  `var(--speaker-${COLORS[((index % 6) + 6) % 6] ?? 'a'})`;

/** The colors that a person can give: their indices. */
export const COLOR_INDICES = COLORS.map((_, index) => index);
