import type { Doc } from './document.ts';

/** Words of a segment, all where `words` is absent: the first and the last, from 0. */
export type SpokenPart = {
  readonly id: number;
  readonly speaker: string | null;
  readonly words?: [number, number];
};

/** The parts of segments that the words from `first` to `last`, inclusive, belong to. */
export const spokenParts = (doc: Doc, first: number, last: number): SpokenPart[] => {
  let begin = 0;
  const parts: SpokenPart[] = [];
  for (const { id, speaker, words } of doc.segments) {
    const [from, to] = [Math.max(0, first - begin), Math.min(words.length - 1, last - begin)];
    begin += words.length;
    if (from > to) continue;
    const isWhole = from === 0 && to === words.length - 1;
    parts.push({ id, speaker, ...(isWhole ? {} : { words: [from, to] }) });
  }
  return parts;
};
