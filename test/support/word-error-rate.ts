/** Lower case without punctuation: what word error rates compare. */
export const plainWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '');

/** Substitutions, insertions and deletions between two word lists (Levenshtein). */
export const wordErrors = (truth: readonly string[], heard: readonly string[]): number => {
  let row = Array.from({ length: heard.length + 1 }, (_, i) => i);
  truth.forEach((word, i) => {
    const next = [i + 1];
    heard.forEach((other, j) => {
      const substituted = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    });
    row = next;
  });
  return row.at(-1) ?? 0;
};

/** Word errors over the number of true words. */
export const wordErrorRate = (truth: string, text: string): number => {
  const words = plainWords(truth);
  return wordErrors(words, plainWords(text)) / words.length;
};
