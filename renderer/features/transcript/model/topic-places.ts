import type { Doc } from './document.ts';

/** Without plural endings (Harman, 1991), as the server compares the terms of topics. */
const stemOf = (word: string): string => {
  if (word.length > 4 && /[^ae]ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:sh|ch|ss|x|z)es$/u.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^aeus]s$|[aeo]s$/u.test(word) ? word.slice(0, -1) : word;
};
const normalize = (word: string) =>
  stemOf(word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));

/** The first words of the places where one of the terms of a topic occurs, in order. */
export const findTopicPlaces = (doc: Doc, terms: readonly string[]): number[] => {
  const words = doc.words.map((word) => normalize(word.text));
  const byFirst = new Map<string, string[][]>();
  for (const term of terms) {
    const parts = term.split(' ').map(normalize);
    byFirst.set(parts[0] ?? '', [...(byFirst.get(parts[0] ?? '') ?? []), parts]);
  }
  return words.flatMap((word, index) =>
    (byFirst.get(word) ?? []).some((parts) => parts.every((part, at) => words[index + at] === part))
      ? [index]
      : [],
  );
};
