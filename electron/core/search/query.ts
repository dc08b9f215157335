/**
 * Parses search queries into FTS5 expressions: words (all required), "phrases", prefix*, AND, OR, NOT in capitals,
 * -word, and parentheses. No input is a syntax error: what has no meaning is skipped.
 */
import { tokenize } from './tokens.ts';

/** Consecutive folded tokens; with `prefix`, the last one matches as a prefix. */
export type Phrase = {
  readonly kind: 'phrase';
  readonly tokens: readonly string[];
  readonly prefix: boolean;
};

export type Conjunction = { readonly all: readonly QueryNode[]; readonly none: readonly QueryNode[] };

/** A disjunction. No conjunction has an empty `all`: FTS5 cannot negate alone. */
export type Alternatives = { readonly kind: 'any'; readonly of: readonly Conjunction[] };

export type QueryNode = Phrase | Alternatives;

type Lexeme =
  | { readonly type: 'phrase'; readonly phrase: Phrase }
  | { readonly type: 'and' | 'or' | 'not' | 'open' | 'close' };

const LEXEME = /"([^"]*)(?:"(\*)?|$)|([()])|(-(?=["(\p{L}\p{N}]))|([^\s"()]+)/gu;
const OPERATORS: Readonly<Record<string, 'and' | 'or' | 'not'>> = { AND: 'and', OR: 'or', NOT: 'not' };

const phraseOf = (text: string, prefix: boolean): Lexeme[] => {
  const tokens = tokenize(text).map((token) => token.folded);
  return tokens.length === 0 ? [] : [{ type: 'phrase', phrase: { kind: 'phrase', tokens, prefix } }];
};

const lexemesOf = (text: string): Lexeme[] =>
  Array.from(text.normalize('NFC').matchAll(LEXEME)).flatMap((match): Lexeme[] => {
    const [, quoted, star, parenthesis, minus, word = ''] = match;
    if (quoted !== undefined) return phraseOf(quoted, star !== undefined);
    if (parenthesis !== undefined) return [{ type: parenthesis === '(' ? 'open' : 'close' }];
    if (minus !== undefined) return [{ type: 'not' }];
    const operator = Object.hasOwn(OPERATORS, word) ? OPERATORS[word] : undefined;
    return operator === undefined ? phraseOf(word, word.endsWith('*')) : [{ type: operator }];
  });

/** Deeper parentheses are ignored, since FTS5 limits the depth of an expression. */
const MAX_DEPTH = 20;

/** A recursive descent parser: a disjunction of conjunctions of phrases and groups, each possibly negated. */
class Parser {
  readonly #lexemes: readonly Lexeme[];
  #at = 0;

  constructor(lexemes: readonly Lexeme[]) {
    this.#lexemes = lexemes;
  }

  parse(): Alternatives {
    const of: Conjunction[] = [];
    // An unopened closing parenthesis ends `#alternatives` early: the rest is required as well.
    const all: QueryNode[] = [];
    while (this.#at < this.#lexemes.length) {
      const part = this.#alternatives(0);
      if (part.of.length > 0) all.push(part);
      this.#at++;
    }
    if (all.length === 1 && all[0]?.kind === 'any') return all[0];
    if (all.length > 0) of.push({ all, none: [] });
    return { kind: 'any', of };
  }

  #alternatives(depth: number): Alternatives {
    const of: Conjunction[] = [];
    let current: { all: QueryNode[]; none: QueryNode[] } = { all: [], none: [] };
    let negated = false;
    const finish = () => {
      if (current.all.length > 0) of.push(current);
      current = { all: [], none: [] };
      negated = false;
    };
    for (; this.#at < this.#lexemes.length; this.#at++) {
      const lexeme = this.#lexemes[this.#at];
      if (lexeme === undefined || (lexeme.type === 'close' && depth <= MAX_DEPTH)) break;
      if (lexeme.type === 'or') finish();
      else if (lexeme.type === 'not') negated = true;
      else {
        const node = this.#operand(lexeme, depth);
        if (node === undefined) continue;
        (negated ? current.none : current.all).push(node);
        negated = false;
      }
    }
    finish();
    return { kind: 'any', of };
  }

  #operand(lexeme: Lexeme, depth: number): QueryNode | undefined {
    if (lexeme.type === 'phrase') return lexeme.phrase;
    if (lexeme.type !== 'open' || depth >= MAX_DEPTH) return undefined;
    this.#at++;
    const group = this.#alternatives(depth + 1);
    return group.of.length === 0 ? undefined : group;
  }
}

const parse = (lexemes: readonly Lexeme[]): Alternatives | undefined => {
  const query = new Parser(lexemes).parse();
  return query.of.length === 0 ? undefined : query;
};

/** Parses a query; undefined if it has no words or only excluded ones. */
export const parseQuery = (text: string): Alternatives | undefined => parse(lexemesOf(text.toWellFormed()));

/** Shorter beginnings match most texts, and FTS5 has no prefix index for them. */
const MIN_BEGINNING = 2;

/**
 * Parses a query whose last word is still being typed, so that it also matches as the beginning of a word. Undefined if
 * that makes no difference: after anything but a letter or digit, for an excluded word, and for a single character.
 */
export const parseTyping = (text: string): Alternatives | undefined => {
  if (!/[\p{L}\p{N}\p{M}]$/u.test(text)) return undefined;
  const lexemes = lexemesOf(text.toWellFormed());
  const last = lexemes.at(-1);
  if (last?.type !== 'phrase' || lexemes.at(-2)?.type === 'not') return undefined;
  const { phrase } = last;
  const { length } = [...(phrase.tokens.at(-1) ?? '')];
  if (phrase.prefix || length < MIN_BEGINNING) return undefined;
  return parse([...lexemes.slice(0, -1), { type: 'phrase', phrase: { ...phrase, prefix: true } }]);
};

const nodeExpression = (node: QueryNode): string =>
  node.kind === 'any'
    ? `(${node.of.map(conjunctionExpression).join(' OR ')})`
    : `"${node.tokens.join(' ')}"${node.prefix ? '*' : ''}`;

const conjunctionExpression = ({ all, none }: Conjunction): string => {
  const wanted = `(${all.map(nodeExpression).join(' AND ')})`;
  return none.length === 0 ? wanted : `(${wanted} NOT (${none.map(nodeExpression).join(' OR ')}))`;
};

/** The `MATCH` expression for a table with `FTS_TOKENIZER`, filled with `indexText`. */
export const matchExpression = (query: Alternatives): string => nodeExpression(query);

/** The phrases of a query that are not excluded. */
export const wantedPhrases = (query: Alternatives): Phrase[] =>
  query.of.flatMap(({ all }) => all.flatMap((node) => (node.kind === 'any' ? wantedPhrases(node) : [node])));
