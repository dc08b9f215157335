const COLORS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** "A" → 0, "B" → 1, …, "AA" → 26. */
export const speakerIndex = (id: string): number =>
  [...id].reduce((total, letter) => total * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The colour of a speaker as a CSS value: six colours in turn, by order of first speech. */
export const speakerColor = (index: number): string =>
  `var(--speaker-${COLORS[((index % 6) + 6) % 6] ?? 'a'})`;
