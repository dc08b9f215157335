/**
 * What a person types into the search field, as an FTS5 expression: words (all must occur), "phrases",
 * prefix*, AND, OR, NOT in capitals, -word, and parentheses. Nothing typed is ever a syntax error: what has no
 * meaning is skipped.
 */
import { tokenize } from './tokens.ts';

/** Folded tokens that must stand side by side; of the last one only the beginning when `prefix` is set. */
export type Phrase = {
  readonly kind: 'phrase';
  readonly tokens: readonly string[];
  readonly prefix: boolean;
};

/** All of `all` and none of `none`. */
export type Conjunction = { readonly all: readonly Node[]; readonly none: readonly Node[] };

/** At least one of the conjunctions; each has something in `all`. */
export type Alternatives = { readonly kind: 'any'; readonly of: readonly Conjunction[] };

export type Node = Phrase | Alternatives;

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

/** Deeper parentheses are read as if they were not there: FTS5 limits the depth of an expression. */
const MAX_DEPTH = 20;

/** A recursive descent parser: alternatives of conjunctions of (possibly negated) phrases and groups. */
class Parser {
  readonly #lexemes: readonly Lexeme[];
  #at = 0;

  constructor(lexemes: readonly Lexeme[]) {
    this.#lexemes = lexemes;
  }

  parse(): Alternatives {
    const of: Conjunction[] = [];
    // A closing parenthesis that nothing opened ends `#alternatives` early: the rest must hold as well.
    const all: Node[] = [];
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
    let current: { all: Node[]; none: Node[] } = { all: [], none: [] };
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

  #operand(lexeme: Lexeme, depth: number): Node | undefined {
    if (lexeme.type === 'phrase') return lexeme.phrase;
    if (lexeme.type !== 'open' || depth >= MAX_DEPTH) return undefined;
    this.#at++;
    const group = this.#alternatives(depth + 1);
    return group.of.length === 0 ? undefined : group;
  }
}

/** Reads a query; undefined when it asks for nothing that could be found (no word, or only excluded ones). */
export const parseQuery = (text: string): Alternatives | undefined => {
  const query = new Parser(lexemesOf(text.toWellFormed())).parse();
  return query.of.length === 0 ? undefined : query;
};

const nodeExpression = (node: Node): string =>
  node.kind === 'any'
    ? `(${node.of.map(conjunctionExpression).join(' OR ')})`
    : `"${node.tokens.join(' ')}"${node.prefix ? '*' : ''}`;

const conjunctionExpression = ({ all, none }: Conjunction): string => {
  const wanted = `(${all.map(nodeExpression).join(' AND ')})`;
  return none.length === 0 ? wanted : `(${wanted} NOT (${none.map(nodeExpression).join(' OR ')}))`;
};

/** The query for `MATCH` on a table made with `FTS_TOKENIZER` and filled through `indexText`. */
export const matchExpression = (query: Alternatives): string => nodeExpression(query);

/** The phrases that a result may contain: all but the excluded ones. */
export const wantedPhrases = (query: Alternatives): Phrase[] =>
  query.of.flatMap(({ all }) => all.flatMap((node) => (node.kind === 'any' ? wantedPhrases(node) : [node])));
