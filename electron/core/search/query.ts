/**
 * Parses search queries into FTS5 expressions: words (all required), "phrases", prefix*, AND, OR, NOT in capitals,
 * -word, and parentheses. No input is a syntax error: what has no meaning is skipped.
 */

import { type Token, tokenize } from './tokens.ts';

/** UTF-16 offsets, end exclusive. */
type Mark = [start: number, end: number];

const matchesAt = (tokens: readonly Token[], at: number, phrase: Phrase): boolean =>
  phrase.tokens.every((wanted, index) => {
    const found = tokens[at + index]?.folded;
    const open = phrase.prefix && index === phrase.tokens.length - 1;
    return open ? found?.startsWith(wanted) === true : found === wanted;
  });

/** The matches of a query's words and phrases in a text, in order and without overlaps. */
export const findMarks = (query: Alternatives, text: string): Mark[] => {
  const phrases = wantedPhrases(query);
  const tokens = tokenize(text);
  const marks: Mark[] = [];
  tokens.forEach((token, at) => {
    const length = Math.max(
      0,
      ...phrases.filter((p) => matchesAt(tokens, at, p)).map((p) => p.tokens.length),
    );
    const end = tokens[at + length - 1]?.end;
    if (length === 0 || end === undefined) return;
    const last = marks.at(-1);
    if (last === undefined || last[1] <= token.start) marks.push([token.start, end]);
    else last[1] = Math.max(last[1], end);
  });
  return marks;
};

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** Moves a cut to the next space within `reach`, or out of a surrogate pair. */
const cutAt = (text: string, at: number, step: 1 | -1, reach: number): number => {
  for (let moved = 0; moved <= reach; moved++) {
    const place = at + moved * step;
    if (place <= 0 || place >= text.length) break;
    if (/\s/u.test(text.charAt(step === 1 ? place - 1 : place))) return place;
  }
  return isLowSurrogate(text, at) ? at + step : at;
};

/**
 * The text around its first mark, cut at spaces, with "…" for omissions. The returned marks are offsets into the snippet.
 * @param length maximum UTF-16 length of the excerpt; truncates even the first mark.
 */
export const makeSnippet = (
  text: string,
  marks: readonly Mark[],
  length = 160,
): { snippet: string; marks: Mark[] } => {
  const first = marks[0] ?? [0, 0];
  const lead = Math.max(0, Math.min(40, length - (first[1] - first[0])));
  const from =
    first[0] <= lead || text.length <= length ? 0 : Math.min(first[0], cutAt(text, first[0] - lead, 1, lead));
  const to =
    text.length - from <= length
      ? text.length
      : cutAt(text, from + length, -1, Math.min(20, from + length - first[1]));
  const before = from > 0 ? '…' : '';
  const kept = text.slice(from, to);
  const trimmed = to < text.length ? kept.trimEnd() : kept;
  const shift = before.length - from;
  const end = before.length + trimmed.length;
  return {
    snippet: `${before}${trimmed}${to < text.length ? '…' : ''}`,
    marks: marks
      .map((mark): Mark => [mark[0] + shift, Math.min(mark[1] + shift, end)])
      .filter((mark) => mark[0] >= before.length && mark[0] < mark[1]),
  };
};

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
