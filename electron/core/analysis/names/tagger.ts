import nlp from 'compromise/three';
import type { YieldIfDue } from '../../base/event-loop.ts';
import { endsWithStop, type Token } from '../tokens.ts';

/** Words to a call of the tagger: keeps each call far below the event loop's patience. */
const CHUNK = 60;

type TaggedTerm = {
  pre: string;
  text: string;
  post: string;
  tags?: ReadonlySet<string>;
};

/**
 * Part-of-speech and name tags for each token (by index), from compromise (a rule-based English tagger,
 * github.com/spencermountain/compromise). A token made of several terms ("I'm") has the tags of all.
 * Remembers what it tagged, because redaction looks at an almost unchanged text again.
 */
export class Tagger {
  readonly #known = new Map<string, readonly ReadonlySet<string>[]>();

  async tag(text: string, tokens: readonly Token[], yieldIfDue: YieldIfDue): Promise<ReadonlySet<string>[]> {
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
      await yieldIfDue();
    }
    return tags;
  }
}

/** Runs of tokens that end at a sentence's end, or after 60 tokens. */
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
  new Map(Object.entries(model.one?.lexicon ?? {}).map(([word, tag]) => [word, [tag].flat()]));

/** compromise's word list: what a word is when nothing else is known about it. */
export const LEXICON: ReadonlyMap<string, readonly string[]> = readLexicon(nlp.model());

/** The words of compromise's list that have a tag. */
export const wordsTagged = (...wanted: string[]): string[] =>
  [...LEXICON].filter(([, tags]) => tags.some((tag) => wanted.includes(tag))).map(([word]) => word);
