import type { Doc } from './document.ts';

/** Below this confidence a word is marked as doubtful. */
export const DOUBTFUL = 0.5;

/** Neighbouring doubtful words, to be looked at as one. */
export type Doubt = { readonly first: number; readonly last: number };

const MOST_BETWEEN = 2;

/**
 * The doubtful places of a document in order. Words that a person has accepted are no longer among them; two
 * doubtful words of one segment with at most two others between count as one place.
 */
export const findDoubts = (doc: Doc, accepted: ReadonlySet<number>): Doubt[] => {
  const doubts: Doubt[] = [];
  for (const [index, word] of doc.words.entries()) {
    if (word.confidence >= DOUBTFUL || accepted.has(word.start)) continue;
    const last = doubts.at(-1);
    const near =
      last !== undefined &&
      index - last.last <= MOST_BETWEEN + 1 &&
      doc.words[last.last]?.segment === word.segment;
    if (near) doubts[doubts.length - 1] = { first: last.first, last: index };
    else doubts.push({ first: index, last: index });
  }
  return doubts;
};
