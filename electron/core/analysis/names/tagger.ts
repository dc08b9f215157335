import nlp from 'compromise/two';
import { endsWithStop, type Token } from '../tokens.ts';

/** Most tokens per call of compromise, whose time grows faster than the text. */
const CHUNK = 60;

type TaggedTerm = {
  pre: string;
  text: string;
  post: string;
  tags?: ReadonlySet<string>;
};

/**
 * Part-of-speech and name tags of each token, from compromise, a rule-based English tagger. A token of several terms
 * ("I'm") has the tags of all. Caches by text, since each round of redaction tags an almost unchanged text again.
 */
export class Tagger {
  readonly #known = new Map<string, readonly ReadonlySet<string>[]>();

  tag(text: string, tokens: readonly Token[]): ReadonlySet<string>[] {
    const tags: ReadonlySet<string>[] = [];
    for (const chunk of chunksOf(tokens)) {
      const first = chunk[0];
      const last = chunk.at(-1);
      if (!first || !last) continue;
      const from = first.from - first.lead.length;
      const own = text.slice(from, last.to + last.trail.length);
      const known = this.#known.get(own) ?? tagChunk(own, from, chunk);
      this.#known.set(own, known);
      tags.push(...known);
    }
    return tags;
  }
}

/** Runs of tokens up to the end of a sentence, of at most `CHUNK` tokens. */
function* chunksOf(tokens: readonly Token[]): Generator<Token[]> {
  let chunk: Token[] = [];
  for (const token of tokens) {
    chunk.push(token);
    if (chunk.length >= CHUNK || (endsWithStop(token) && chunk.length >= 3)) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

const tagChunk = (text: string, offset: number, chunk: readonly Token[]): Set<string>[] => {
  const tags = chunk.map(() => new Set<string>());
  let at = offset;
  let next = 0;
  for (const term of termsOf(text)) {
    const from = at + term.pre.length;
    const to = from + term.text.length;
    at = to + term.post.length;
    while ((chunk[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1;
    const token = chunk[next];
    if (!token || term.text === '' || token.from >= to) continue;
    for (const tag of term.tags ?? []) tags[next]?.add(tag);
  }
  return tags;
};

const termsOf = (text: string): TaggedTerm[] => {
  const document: { docs: TaggedTerm[][] } = nlp(text);
  return document.docs.flat();
};

const readLexicon = (model: { one?: { lexicon?: Record<string, string | string[]> } }) =>
  new Map(
    Object.entries(model.one?.lexicon ?? {}).map(([word, tag]) => [
      word,
      typeof tag === 'string' ? [tag] : tag,
    ]),
  );

/** compromise's lexicon: the tags of a word without context. */
export const LEXICON: ReadonlyMap<string, readonly string[]> = readLexicon(nlp.model());

const readTagged = (): ReadonlyMap<string, readonly string[]> => {
  const tagged = new Map<string, string[]>();
  for (const [word, tags] of LEXICON) {
    for (const tag of tags) {
      const words = tagged.get(tag);
      if (words) words.push(word);
      else tagged.set(tag, [word]);
    }
  }
  return tagged;
};

/** In one pass: each call of `wordsTagged` would go through all of the lexicon. */
const TAGGED = readTagged();

/** The words of compromise's lexicon with any of the given tags, each once. */
export const wordsTagged = (...wanted: string[]): string[] => [
  ...new Set(wanted.flatMap((tag) => TAGGED.get(tag) ?? [])),
];
