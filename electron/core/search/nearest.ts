const MIN_LENGTH = 3;
const MAX_LENGTH = 40;

/** Edits that still make a likely mistyping of a word of this length. */
export const maxEdits = (length: number): number =>
  length < MIN_LENGTH || length > MAX_LENGTH ? 0 : length < 5 ? 1 : 2;

/**
 * Insertions, deletions, substitutions and swaps of neighbors that make `b` from `a` (optimal string alignment distance;
 * Damerau, 1964), counted up to `limit + 1`.
 */
export const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
};

/** Words from nearest to farthest among those within the edits that `maxEdits` allows; equals keep their order. */
export const nearestWords = (word: string, words: readonly string[]): string[] => {
  const limit = maxEdits(word.length);
  if (limit === 0) return [];
  return words
    .map((each) => ({ each, distance: editDistance(word, each, limit) }))
    .filter(({ distance }) => distance > 0 && distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .map(({ each }) => each);
};
