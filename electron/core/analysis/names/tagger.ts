import nlp from 'compromise/three';
import type { Breathe } from '../breath.ts';
import { endsWithStop, type Token } from '../tokens.ts';

/** Words to a call of the tagger: keeps each call far below the event loop's patience. */
const CHUNK = 60;

interface TaggedTerm {
  pre: string;
  text: string;
  post: string;
  tags?: ReadonlySet<string>;
}

/**
 * Part-of-speech and name tags for each token (by index), from compromise (a rule-based English tagger,
 * github.com/spencermountain/compromise). A token made of several terms ("I'm") has the tags of all.
 */
export async function tagTokens(
  text: string,
  tokens: readonly Token[],
  breathe: Breathe,
): Promise<ReadonlySet<string>[]> {
  const tags: Set<string>[] = tokens.map(() => new Set<string>());
  for (const chunk of chunksOf(tokens)) {
    const first = chunk[0];
    const last = chunk.at(-1);
    if (!first || !last) continue;
    const from = first.from - first.lead.length;
    tagChunk(text.slice(from, last.to + last.trail.length), from, chunk, tags);
    await breathe();
  }
  return tags;
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

function tagChunk(text: string, offset: number, chunk: readonly Token[], tags: readonly Set<string>[]): void {
  let at = offset;
  let next = 0;
  for (const term of termsOf(text)) {
    const from = at + term.pre.length;
    const to = from + term.text.length;
    at = to + term.post.length;
    while ((chunk[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1;
    const token = chunk[next];
    if (!token || term.text === '' || token.from >= to) continue;
    for (const tag of term.tags ?? []) tags[token.index]?.add(tag);
  }
}

function termsOf(text: string): TaggedTerm[] {
  const document: { docs: TaggedTerm[][] } = nlp(text);
  return document.docs.flat();
}

/** compromise's word list: what a word is when nothing else is known about it. */
export const LEXICON: ReadonlyMap<string, readonly string[]> = readLexicon(nlp.model());

function readLexicon(model: { one?: { lexicon?: Record<string, string | string[]> } }) {
  return new Map(Object.entries(model.one?.lexicon ?? {}).map(([word, tag]) => [word, [tag].flat()]));
}

/** The words of compromise's list that have a tag. */
export function wordsTagged(...wanted: string[]): string[] {
  return [...LEXICON].filter(([, tags]) => tags.some((tag) => wanted.includes(tag))).map(([word]) => word);
}
