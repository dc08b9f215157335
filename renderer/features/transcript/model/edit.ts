import {
  assembleDoc,
  type Doc,
  type DocSegment,
  type DocWord,
  paragraphStartsOf,
  withParagraphStarts,
} from './document.ts';

export type SegmentText = {
  readonly id: number;
  readonly text: string;
  /** The words of this text, from 0, that begin a paragraph; null: speakers and pauses decide. Undefined: as before. */
  readonly paragraphStarts?: readonly number[] | null | undefined;
};

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

/** Keeps the paragraphs of an edited segment: one begins where it did, or with what follows the deleted words. */
const keepParagraphStarts = (
  before: readonly DocWord[],
  matches: readonly number[],
  after: readonly DocWord[],
): readonly DocWord[] => {
  if (before.every((word) => word.startsParagraph === undefined)) return after;
  const starts = before.flatMap((word, index) => {
    if (word.startsParagraph !== true) return [];
    const kept = matches.indexOf(index);
    return index > 0 && kept !== -1
      ? [kept]
      : [matches.findLastIndex((old) => old !== -1 && old < index) + 1];
  });
  return withParagraphStarts(after, starts);
};

/** Keeps the other readings of a word only if the person changed neither the word nor those beside it, as the service does. */
const keepAlternatives = (
  before: readonly DocWord[],
  matches: readonly number[],
  after: readonly DocWord[],
): DocWord[] => {
  const isKept = (at: number): boolean => {
    const old = matches[at];
    // Beyond both ends nothing changed if the ends are the same.
    if (old === undefined) return true;
    return before[old]?.text === after[at]?.text;
  };
  return after.map((word, at) => {
    const old = matches[at] ?? -1;
    if (word.alternatives === undefined) return word;
    const hasSameNeighbors =
      (matches[at - 1] ?? -1) === old - 1 && (matches[at + 1] ?? before.length) === old + 1;
    if (hasSameNeighbors && isKept(at - 1) && isKept(at) && isKept(at + 1)) return word;
    return { ...word, alternatives: undefined };
  });
};

/**
 * Aligns the words of an edited segment: kept words keep time and confidence; new ones share the gap between their
 * neighbors and have confidence 1, since a person wrote them.
 */
export const alignWords = (segment: DocSegment, text: string, index: number): readonly DocWord[] => {
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
  return keepParagraphStarts(segment.words, matches, keepAlternatives(segment.words, matches, words));
};

/** Replaces the texts and paragraphs of some segments. */
export const editDoc = (doc: Doc, changes: readonly SegmentText[]): Doc => {
  const edits = new Map(changes.map((change) => [change.id, change]));
  return assembleDoc(
    doc.segments.map((segment, index) => {
      const edit = edits.get(segment.id);
      if (edit === undefined) return segment;
      const { text, paragraphStarts } = edit;
      const words = text === segment.text ? segment.words : alignWords(segment, text, index);
      return {
        ...segment,
        text,
        words: paragraphStarts === undefined ? words : withParagraphStarts(words, paragraphStarts),
      };
    }),
  );
};

/** The current texts of the segments with their paragraphs, to undo or to save an edit. */
export const segmentTexts = (doc: Doc, ids: Iterable<number>): SegmentText[] => {
  const wantedIds = new Set(ids);
  return doc.segments
    .filter((segment) => wantedIds.has(segment.id))
    .map((segment) => ({
      id: segment.id,
      text: segment.text,
      paragraphStarts: paragraphStartsOf(segment),
    }));
};
