import type { Token } from '../tokens.ts';

export type GazetteerMatch = {
  /** Index of the last token of the match. */
  last: number;
  phrase: string;
};

/** A list of phrases, matched against tokens without case; the longest wins. */
export class Gazetteer {
  readonly #byFirst = new Map<string, string[][]>();

  constructor(names: Iterable<string>) {
    for (const name of new Set(names)) {
      const words = name.toLowerCase().split(/\s+/u).map(bare);
      const [first] = words;
      if (!first) continue;
      const own = this.#byFirst.get(first) ?? [];
      own.push(words);
      this.#byFirst.set(first, own);
    }
    for (const own of this.#byFirst.values()) own.sort((a, b) => b.length - a.length);
  }

  /** The longest phrase that starts at a token; its last word may have a possessive ending. */
  match(tokens: readonly Token[], at: number): GazetteerMatch | undefined {
    const token = tokens[at];
    if (!token || token.isBlocked) return undefined;
    const candidates = [...(this.#byFirst.get(token.norm) ?? []), ...(this.#byFirst.get(token.stem) ?? [])];
    const words = candidates.find((own) =>
      own.every((word, index) => fits(tokens, at + index, word, index === own.length - 1)),
    );
    return words ? { last: at + words.length - 1, phrase: words.join(' ') } : undefined;
  }
}

const bare = (word: string): string => word.replace(/[.,]+$/u, '');

const fits = (tokens: readonly Token[], at: number, word: string, last: boolean): boolean => {
  const token = tokens[at];
  if (!token || token.isBlocked) return false;
  if (last) return token.stem === word || token.norm === word;
  return token.norm === word && /^\.?$/u.test(token.trail);
};
