/** The parts that a comma-separated list names, a name before a hyphen all of its kind; all without a list. */
export const selectParts = (known: readonly string[], only: string | undefined): string[] => {
  if (only === undefined) return [...known];
  const wanted = only.split(',');
  const isOf = (part: string, name: string): boolean => part === name || part.startsWith(`${name}-`);
  const unknown = wanted.find((name) => !known.some((part) => isOf(part, name)));
  if (unknown !== undefined)
    throw new Error(`--only=${only}: there is no part ${unknown}. Known: ${known.join(', ')}`);
  return known.filter((part) => wanted.some((name) => isOf(part, name)));
};
