import { isRecord, readStored } from '../../../lib/storage.ts';
import type { Doc } from './document.ts';

/** Words below this confidence are marked for review. */
export const LOW_CONFIDENCE = 0.5;

/** Words with low confidence that are reviewed together: `first` to `last`, inclusive. */
export type UncertainSpan = { readonly first: number; readonly last: number };

const MAX_WORDS_BETWEEN = 2;

/**
 * Finds the spans to review, in order, without accepted words. Two uncertain words of one segment with at most
 * MAX_WORDS_BETWEEN others between them form one span.
 */
export const findUncertainSpans = (doc: Doc, accepted: ReadonlySet<number>): UncertainSpan[] => {
  const spans: UncertainSpan[] = [];
  for (const [index, word] of doc.words.entries()) {
    if (word.confidence >= LOW_CONFIDENCE || accepted.has(word.start)) continue;
    const last = spans.at(-1);
    const isNear =
      last !== undefined &&
      index - last.last <= MAX_WORDS_BETWEEN + 1 &&
      doc.words[last.last]?.segment === word.segment;
    if (isNear) spans[spans.length - 1] = { first: last.first, last: index };
    else spans.push({ first: index, last: index });
  }
  return spans;
};

const storageKey = (id: string) => `earshot.accepted.${id}`;

/** The uncertain words that were accepted in this browser, by their start in seconds. */
export const readAcceptedWords = (storage: Storage, id: string): ReadonlySet<number> => {
  const stored = readStored(storage, storageKey(id));
  const starts = isRecord(stored) && Array.isArray(stored.starts) ? stored.starts : [];
  return new Set(starts.filter((start) => typeof start === 'number'));
};

export const writeAcceptedWords = (storage: Storage, id: string, accepted: ReadonlySet<number>): void =>
  storage.setItem(storageKey(id), JSON.stringify({ starts: [...accepted] }));
