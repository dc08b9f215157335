import people from '../../../../resources/lexicons/people.json' with { type: 'json' };
import { endsWithStop, startsSentence, type Token } from '../tokens.ts';

const STOP = new Set(people.never);

/** Whether a token is a function word, day or month: never a part of a name. */
export const isStop = (token: Token | undefined): boolean =>
  !token || STOP.has(token.norm) || STOP.has(token.stem);

/** The tokens of a window with their tags, and what capitals mean in each sentence. */
export class NameContext {
  readonly tokens: readonly Token[];
  readonly language: string;
  readonly #tags: readonly ReadonlySet<string>[];
  readonly #cased: readonly boolean[];

  constructor(tokens: readonly Token[], tags: readonly ReadonlySet<string>[], language: string) {
    this.tokens = tokens;
    this.language = language;
    this.#tags = tags;
    this.#cased = sentenceCasing(tokens);
  }

  at(index: number): Token | undefined {
    return this.tokens[index];
  }

  stem(index: number): string {
    return this.tokens[index]?.stem ?? '';
  }

  norm(index: number): string {
    return this.tokens[index]?.norm ?? '';
  }

  hasTag(index: number, ...tags: string[]): boolean {
    return tags.some((tag) => this.#tags[index]?.has(tag) ?? false);
  }

  /** Whether the token's sentence is in mixed case, so that capitals carry meaning. */
  isCased(index: number): boolean {
    return this.#cased[index] ?? false;
  }

  startsSentence(index: number): boolean {
    return startsSentence(this.tokens, index);
  }

  /** Whether a token is capitalized other than at the start of a sentence. */
  isProperNoun(index: number): boolean {
    return this.isCapitalized(index) && !this.startsSentence(index);
  }

  isCapitalized(index: number): boolean {
    return this.isCased(index) && (this.tokens[index]?.isCapitalized ?? false);
  }

  /** Whether no punctuation separates two consecutive tokens, but for initials and "St.". */
  areAdjacent(left: number, right: number): boolean {
    const token = this.tokens[left];
    const next = this.tokens[right];
    if (!token || !next || right !== left + 1 || next.isBlocked || next.lead !== '') return false;
    if (token.trail === '') return true;
    return (
      token.trail === '.' && (/^\p{Lu}$/u.test(token.text) || /^(?:st|dr|jr|sr|mr|mrs|ms)$/u.test(token.norm))
    );
  }
}

/** For each token, whether its sentence is in mixed case. */
const sentenceCasing = (tokens: readonly Token[]): boolean[] => {
  const cased: boolean[] = [];
  let start = 0;
  for (const [index, token] of tokens.entries()) {
    if (!endsWithStop(token) && index < tokens.length - 1) continue;
    const words = tokens.slice(start, index + 1).filter((word) => /\p{L}{2}/u.test(word.text));
    const upper = words.filter((word) => word.text === word.text.toUpperCase()).length;
    const capital = words.some((word) => word.isCapitalized);
    const meaningful = capital && (words.length < 3 || upper < words.length * 0.6);
    for (let at = start; at <= index; at++) cased.push(meaningful);
    start = index + 1;
  }
  return cased;
};
