import { type Doc, type DocSegment, type Paragraph, paragraphOfWord, wordSpans } from './document.ts';
import { editDoc, type SegmentText } from './edit.ts';

/** The part of a segment that a paragraph shows: words `from` to `to`, and the texts before and after them. */
export type Part = {
  readonly segment: DocSegment;
  readonly from: number;
  readonly to: number;
  readonly before: string;
  readonly text: string;
  readonly after: string;
};

const firstWordOf = (doc: Doc, segment: number): number =>
  doc.segments.slice(0, segment).reduce((count, { words }) => count + words.length, 0);

/** The parts of segments that a paragraph consists of. */
export const partsOf = (doc: Doc, paragraph: Paragraph): Part[] => {
  let first = firstWordOf(doc, paragraph.firstSegment);
  return doc.segments.slice(paragraph.firstSegment, paragraph.endSegment).map((segment) => {
    const from = Math.max(0, paragraph.firstWord - first);
    const to = Math.min(segment.words.length, paragraph.endWord - first);
    first += segment.words.length;
    const isWhole = from === 0 && to === segment.words.length;
    const spans = isWhole ? [] : wordSpans(segment);
    const start = from === 0 ? 0 : (spans[from]?.from ?? segment.text.length);
    const end = to === segment.words.length ? segment.text.length : (spans[to]?.from ?? segment.text.length);
    return {
      segment,
      from,
      to,
      before: segment.text.slice(0, start),
      text: segment.text.slice(start, end),
      after: segment.text.slice(end),
    };
  });
};

const collapseWhitespace = (text: string) => text.replace(/\s+/g, ' ').trim();
const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

/** The edit of a segment whose part has a new text; paragraphs elsewhere in the segment stay with their words. */
export const editPart = (
  doc: Doc,
  { segment, from, to, before, text, after }: Part,
  raw: string,
): SegmentText => {
  const written = collapseWhitespace(raw);
  const space = /\s$/.test(text) && written !== '' ? ' ' : '';
  const edit = { id: segment.id, text: collapseWhitespace(`${before}${written}${space}${after}`) };
  if (segment.words.every((word) => word.startsParagraph === undefined)) return edit;
  const moved = countWords(written) - (to - from);
  const starts = paragraphStartsIn(doc, doc.segments.indexOf(segment));
  return {
    ...edit,
    paragraphStarts: [...new Set(starts.map((start) => (start >= to && to > from ? start + moved : start)))],
  };
};

/** The words of a segment, from 0, where paragraphs begin now, whoever decided it. */
const paragraphStartsIn = (doc: Doc, segment: number): number[] => {
  const first = firstWordOf(doc, segment);
  const end = first + (doc.segments[segment]?.words.length ?? 0);
  return doc.paragraphs
    .filter(({ firstWord, endWord }) => firstWord >= first && firstWord < end && endWord > firstWord)
    .map(({ firstWord }) => firstWord - first);
};

/** Changes where paragraphs begin in the segment of a word. */
const changeStarts = (
  doc: Doc,
  word: number,
  change: (starts: Set<number>, at: number) => void,
): SegmentText[] => {
  const index = doc.words[word]?.segment;
  const segment = index === undefined ? undefined : doc.segments[index];
  if (index === undefined || segment === undefined) return [];
  const starts = new Set(paragraphStartsIn(doc, index));
  change(starts, word - firstWordOf(doc, index));
  return [{ id: segment.id, text: segment.text, paragraphStarts: [...starts].sort((a, b) => a - b) }];
};

/**
 * Begins a paragraph with a word; nothing if one begins there. The next paragraph is kept apart, which a shorter one
 * before it could otherwise take in.
 */
export const splitParagraph = (doc: Doc, word: number): SegmentText[] => {
  const index = paragraphOfWord(doc, word);
  const paragraph = doc.paragraphs[index];
  if (paragraph === undefined || word <= paragraph.firstWord || word >= paragraph.endWord) return [];
  const next = doc.paragraphs[index + 1];
  const split = changeStarts(doc, word, (starts, at) => starts.add(at));
  if (
    next === undefined ||
    next.showsSpeaker ||
    doc.words[next.firstWord]?.segment === doc.words[word]?.segment
  )
    return split;
  return [...split, ...changeStarts(doc, next.firstWord, () => undefined)];
};

/** Joins a paragraph with the one before; nothing if that has another speaker. */
export const mergeParagraph = (doc: Doc, index: number): SegmentText[] => {
  const paragraph = doc.paragraphs[index];
  if (paragraph === undefined || index === 0 || paragraph.showsSpeaker) return [];
  if (paragraph.endWord === paragraph.firstWord) return [];
  return changeStarts(doc, paragraph.firstWord, (starts, at) => starts.delete(at));
};

/** The first word from a place in a segment's text on: `offset` in characters. A place within a word counts as before it. */
export const wordFrom = (doc: Doc, segment: number, offset: number): number => {
  const at = doc.segments[segment];
  if (at === undefined) return -1;
  const inside = wordSpans(at).findIndex(({ to }) => to > offset);
  return firstWordOf(doc, segment) + (inside === -1 ? at.words.length : inside);
};

/** Two edits as one, the second made on the document that the first leaves. */
export const thenEdit = (
  doc: Doc,
  first: readonly SegmentText[],
  second: (edited: Doc) => readonly SegmentText[],
): SegmentText[] => {
  const edits = new Map(first.map((edit) => [edit.id, edit]));
  for (const edit of second(first.length === 0 ? doc : editDoc(doc, first))) edits.set(edit.id, edit);
  return [...edits.values()];
};
