import { z } from 'zod';
import { readStored, storedList } from '../../../lib/storage.ts';
import { type Doc, type DocWord, wordSpans } from './document.ts';
import type { SegmentText } from './edit.ts';

/** Words below this confidence are marked for review. */
export const LOW_CONFIDENCE = 0.5;

/** Words that are reviewed together: `first` to `last`, inclusive. */
export type UncertainSpan = {
  readonly first: number;
  readonly last: number;
  /** What another model heard in their place. */
  readonly other?: { readonly text: string; readonly model: string };
};

const MAX_WORDS_BETWEEN = 2;

/** Whether a word is marked in the text: recognized with low confidence, or otherwise by another model. */
export const isUncertain = (word: DocWord, accepted: ReadonlySet<number>): boolean =>
  (word.confidence < LOW_CONFIDENCE || word.alternatives !== undefined) && !accepted.has(word.start);

const lowestConfidence = (words: readonly DocWord[]): number =>
  Math.min(...words.map(({ confidence }) => confidence));

/**
 * The places where another model heard something else, the likeliest error first: by the first model's confidence, which
 * tells better than that of the other one.
 */
const differingSpans = (doc: Doc, accepted: ReadonlySet<number>): UncertainSpan[] => {
  const spans: { first: number; last: number }[] = [];
  for (const [index, word] of doc.words.entries()) {
    if (word.alternatives === undefined || accepted.has(word.start)) continue;
    const last = spans.at(-1);
    if (last?.last === index - 1 && doc.words[last.last]?.segment === word.segment) last.last = index;
    else spans.push({ first: index, last: index });
  }
  return spans
    .map(({ first, last }) => {
      const words = doc.words.slice(first, last + 1);
      const readings = words.flatMap(({ alternatives }) => alternatives?.[0] ?? []);
      const text = readings
        .map((reading) => reading.text)
        .filter((reading) => reading !== '')
        .join(' ');
      const span = { first, last, other: { text, model: readings[0]?.model ?? '' } };
      return { span, confidence: lowestConfidence(words) };
    })
    .sort((a, b) => a.confidence - b.confidence)
    .map(({ span }) => span);
};

/**
 * The spans to review, without accepted words: first those that another model heard otherwise, then those with low
 * confidence, in order. Two uncertain words of one segment with at most MAX_WORDS_BETWEEN others between them form one span.
 */
export const findUncertainSpans = (doc: Doc, accepted: ReadonlySet<number>): UncertainSpan[] => {
  const spans: UncertainSpan[] = [];
  for (const [index, word] of doc.words.entries()) {
    if (word.confidence >= LOW_CONFIDENCE || word.alternatives !== undefined || accepted.has(word.start))
      continue;
    const last = spans.at(-1);
    const isNear =
      last !== undefined &&
      index - last.last <= MAX_WORDS_BETWEEN + 1 &&
      doc.words[last.last]?.segment === word.segment;
    if (isNear) spans[spans.length - 1] = { first: last.first, last: index };
    else spans.push({ first: index, last: index });
  }
  return [...differingSpans(doc, accepted), ...spans];
};

/** The text of the span's segment with the other reading in place of the span's words. */
export const withOtherReading = (
  doc: Doc,
  { first, last, other }: UncertainSpan,
): SegmentText | undefined => {
  const at = doc.words[first]?.segment ?? -1;
  const segment = doc.segments[at];
  if (segment === undefined || other === undefined) return undefined;
  const offset = doc.words.findIndex((word) => word.segment === at);
  const spans = wordSpans(segment);
  const before = segment.text.slice(0, spans[first - offset]?.from ?? 0);
  const after = segment.text.slice(spans[last - offset]?.to ?? segment.text.length);
  const text = other.text === '' ? `${before.trimEnd()}${after}` : `${before}${other.text}${after}`;
  return { id: segment.id, text: text.trim() };
};

const storageKey = (id: string) => `earshot.accepted.${id}`;

const AcceptedWords = z.object({ starts: storedList(z.number().min(0)) }).catch({ starts: [] });

/** The uncertain words that were accepted in this browser, by their start in seconds. */
export const readAcceptedWords = (storage: Storage, id: string): ReadonlySet<number> =>
  new Set(AcceptedWords.parse(readStored(storage, storageKey(id))).starts);

/** Accepts words by their start, beside those that other windows have accepted, and returns all of them. */
export const acceptWords = (storage: Storage, id: string, starts: readonly number[]): ReadonlySet<number> => {
  const accepted = new Set([...readAcceptedWords(storage, id), ...starts]);
  storage.setItem(storageKey(id), JSON.stringify({ starts: [...accepted] }));
  return accepted;
};
