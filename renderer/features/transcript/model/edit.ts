import { assembleDoc, type Doc, type DocSegment, type DocWord } from './document.ts';

export type SegmentText = { readonly id: number; readonly text: string };

const normalizeWord = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Lengths of the longest common subsequences of all suffixes (Wagner and Fischer, 1974). */
const commonSubsequenceTable = (before: readonly string[], after: readonly string[]) => {
  const width = after.length + 1;
  const table = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      table[row * width + column] =
        before[row] === after[column]
          ? (table[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(table[(row + 1) * width + column] ?? 0, table[row * width + column + 1] ?? 0);
    }
  }
  return { table, width };
};

/** For each new word the index of the same old word, or -1. */
const matchWords = (before: readonly string[], after: readonly string[]): number[] => {
  const { table, width } = commonSubsequenceTable(before, after);
  const matches = after.map(() => -1);
  let row = 0;
  let column = 0;
  while (row < before.length && column < after.length) {
    if (before[row] === after[column]) {
      matches[column] = row;
      row++;
      column++;
    } else if ((table[(row + 1) * width + column] ?? 0) >= (table[row * width + column + 1] ?? 0)) row++;
    else column++;
  }
  return matches;
};

/**
 * Aligns the words of an edited segment: kept words keep time and confidence; new ones share the gap between their
 * neighbors and have confidence 1, since a person wrote them.
 */
export const alignWords = (segment: DocSegment, text: string, index: number): DocWord[] => {
  const after = text.split(/\s+/).filter((word) => word !== '');
  const matches = matchWords(
    segment.words.map((word) => normalizeWord(word.text)),
    after.map(normalizeWord),
  );
  const words: DocWord[] = [];
  for (let at = 0; at < after.length; ) {
    const old = segment.words[matches[at] ?? -1];
    if (old !== undefined) {
      const same = old.text === after[at];
      words.push({ ...old, text: after[at] ?? '', segment: index, confidence: same ? old.confidence : 1 });
      at++;
      continue;
    }
    let end = at;
    while (end < after.length && matches[end] === -1) end++;
    const from = words.at(-1)?.end ?? segment.start;
    const to = Math.max(from, segment.words[matches[end] ?? -1]?.start ?? segment.end);
    const step = (to - from) / (end - at);
    for (let place = at; place < end; place++) {
      words.push({
        text: after[place] ?? '',
        start: from + (place - at) * step,
        end: from + (place - at + 1) * step,
        confidence: 1,
        segment: index,
        entity: -1,
      });
    }
    at = end;
  }
  return words;
};

/** Replaces the texts of some segments. */
export const editDoc = (doc: Doc, changes: readonly SegmentText[]): Doc => {
  const texts = new Map(changes.map((change) => [change.id, change.text]));
  return assembleDoc(
    doc.segments.map((segment, index) => {
      const text = texts.get(segment.id);
      return text === undefined || text === segment.text
        ? segment
        : { ...segment, text, words: alignWords(segment, text, index) };
    }),
  );
};

/** The current texts of the segments, to undo an edit. */
export const segmentTexts = (doc: Doc, ids: Iterable<number>): SegmentText[] => {
  const wantedIds = new Set(ids);
  return doc.segments
    .filter((segment) => wantedIds.has(segment.id))
    .map((segment) => ({ id: segment.id, text: segment.text }));
};
