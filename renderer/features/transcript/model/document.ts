import type { Entity } from '../../../../electron/contract/analysis.ts';
import type { Segment, WordAlternative } from '../../../../electron/contract/segments.ts';
import type { SentenceData, Transcription } from '../../../../electron/contract/transcript.ts';

/** A word with its time in seconds. */
export type DocWord = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number;
  /** Index of the segment. */
  readonly segment: number;
  /** Index of the entity; -1 for none. */
  readonly entity: number;
  /** Set by a person: whether a paragraph begins here. Undefined: speakers and pauses decide. */
  readonly startsParagraph?: boolean | undefined;
  /** What another model heard in its place. */
  readonly alternatives?: readonly WordAlternative[] | undefined;
};

/**
 * Consecutive words of one speaker in one language that are shown and edited together; a person may have begun it within a segment.
 * `end…` indexes are exclusive.
 */
export type Paragraph = {
  readonly speaker: string | null;
  /** Null where it is not known. */
  readonly language: string | null;
  /** False if the paragraph before has the same speaker. */
  readonly showsSpeaker: boolean;
  readonly firstWord: number;
  readonly endWord: number;
  readonly firstSegment: number;
  readonly endSegment: number;
  readonly start: number;
  readonly end: number;
};

export type DocSegment = {
  readonly id: number;
  readonly speaker: string | null;
  readonly language: string | null;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly DocWord[];
};

export type Doc = {
  readonly segments: readonly DocSegment[];
  readonly words: readonly DocWord[];
  readonly paragraphs: readonly Paragraph[];
  /** Start of every word, ascending, for binary search. */
  readonly starts: Float64Array;
};

const MAX_PARAGRAPH_WORDS = 90;
const MAX_PAUSE_SECONDS = 2.5;

type TimedWord = {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number;
  readonly alternatives?: readonly WordAlternative[] | undefined;
};

/** Spreads a segment's words evenly over its time. */
const interpolateWords = (segment: Segment): TimedWord[] => {
  const texts = segment.text.split(/\s+/).filter((text) => text !== '');
  const step = (segment.end - segment.start) / Math.max(1, texts.length);
  return texts.map((word, index) => ({
    word,
    start: segment.start + index * step,
    end: segment.start + (index + 1) * step,
    confidence: 1,
  }));
};

/** Assigns the words of the sentences to the segments by time, for transcripts without word times. */
export const wordsBySegment = (
  segments: readonly Segment[],
  sentences: SentenceData['data']['sentences'],
): Segment[] => {
  const words = sentences.flatMap((sentence) => sentence.words);
  let at = 0;
  return segments.map((segment, index) => {
    const next = segments[index + 1];
    const own: NonNullable<Segment['words']> = [];
    for (let word = words[at]; word !== undefined; word = words[at]) {
      if (next !== undefined && word.start >= next.start) break;
      own.push({ ...word, speaker_id: segment.speaker_id });
      at++;
    }
    return own.length > 0 ? { ...segment, words: own } : segment;
  });
};

/** Returns a function that finds the entity of each word; call it with the words in order. */
const createEntityLookup = (text: string, entities: readonly Entity[]) => {
  const order = entities.map((entity, index) => ({ entity, index }));
  order.sort((a, b) => a.entity.startIndex - b.entity.startIndex);
  let cursor = 0;
  let at = 0;
  return (word: string): number => {
    const from = text.indexOf(word, cursor);
    if (from === -1) return -1;
    const to = from + word.length;
    cursor = to;
    while (order[at] !== undefined && (order[at]?.entity.endIndex ?? 0) <= from) at++;
    const here = order[at];
    return here !== undefined && here.entity.startIndex < to ? here.index : -1;
  };
};

/** The words of a segment, from 0, where a person or the segment's own beginning may begin a paragraph. */
const pieceStarts = ({ words }: DocSegment): number[] => [
  0,
  ...words.flatMap((word, index) => (index > 0 && word.startsParagraph === true ? [index] : [])),
];

const joins = (last: Paragraph | undefined, segment: DocSegment, words: number): last is Paragraph => {
  if (last === undefined || last.speaker !== segment.speaker) return false;
  const decided = segment.words[0]?.startsParagraph;
  if (decided !== undefined) return !decided;
  return (
    segment.language === last.language &&
    segment.start - last.end < MAX_PAUSE_SECONDS &&
    last.endWord - last.firstWord + words <= MAX_PARAGRAPH_WORDS
  );
};

const groupIntoParagraphs = (segments: readonly DocSegment[]): Paragraph[] => {
  const paragraphs: Paragraph[] = [];
  let segmentWord = 0;
  for (const [index, segment] of segments.entries()) {
    const starts = pieceStarts(segment);
    for (const [piece, from] of starts.entries()) {
      const to = starts[piece + 1] ?? segment.words.length;
      const last = paragraphs.at(-1);
      const endWord = segmentWord + to;
      const end = piece === starts.length - 1 ? segment.end : (segment.words[to - 1]?.end ?? segment.end);
      if (piece === 0 && joins(last, segment, to)) {
        paragraphs[paragraphs.length - 1] = { ...last, endWord, endSegment: index + 1, end };
        continue;
      }
      paragraphs.push({
        speaker: segment.speaker,
        language: segment.language,
        showsSpeaker: last === undefined || last.speaker !== segment.speaker,
        firstWord: segmentWord + from,
        endWord,
        firstSegment: index,
        endSegment: index + 1,
        start: piece === 0 ? segment.start : (segment.words[from]?.start ?? segment.start),
        end,
      });
    }
    segmentWord += segment.words.length;
  }
  return paragraphs;
};

/** Begins paragraphs at exactly these words of a segment, from 0; null leaves it to speakers and pauses. */
export const withParagraphStarts = (
  words: readonly DocWord[],
  starts: readonly number[] | null,
): readonly DocWord[] => {
  if (starts === null && words.every((word) => word.startsParagraph === undefined)) return words;
  const wanted = new Set(starts);
  return words.map((word, index) => ({
    ...word,
    // "No" only for the first word: elsewhere nothing else would begin a paragraph.
    startsParagraph: starts === null || (index > 0 && !wanted.has(index)) ? undefined : wanted.has(index),
  }));
};

/** The words of a segment, from 0, that a person let begin a paragraph; null if nobody decided. */
export const paragraphStartsOf = ({ words }: DocSegment): readonly number[] | null =>
  words.every((word) => word.startsParagraph === undefined)
    ? null
    : words.flatMap((word, index) => (word.startsParagraph === true ? [index] : []));

/** Start and end of each word in its segment's text. */
export const wordSpans = ({ text, words }: DocSegment): { readonly from: number; readonly to: number }[] => {
  let cursor = 0;
  return words.map((word) => {
    const found = text.indexOf(word.text, cursor);
    const from = found === -1 ? cursor : found;
    cursor = from + word.text.length;
    return { from, to: cursor };
  });
};

/** Creates a document from segments with words. */
export const assembleDoc = (segments: readonly DocSegment[]): Doc => {
  const words = segments.flatMap((segment) => segment.words);
  return {
    segments,
    words,
    paragraphs: groupIntoParagraphs(segments),
    starts: Float64Array.from(words, (word) => word.start),
  };
};

/** Creates the document of a transcript: words, paragraphs and entities. */
export const buildDoc = (
  transcript: Pick<Transcription, 'segments' | 'text' | 'entities'>,
  segmentsWithWords: readonly Segment[] = transcript.segments,
): Doc => {
  const entityOf = createEntityLookup(transcript.text, transcript.entities ?? []);
  return assembleDoc(
    segmentsWithWords.map((segment, index) => ({
      id: segment.id,
      speaker: segment.speaker_id,
      language: segment.language,
      start: segment.start,
      end: segment.end,
      text: segment.text.trim(),
      words: withParagraphStarts(
        (segment.words ?? interpolateWords(segment)).map((word) => {
          const text = word.word.trim();
          return {
            text,
            start: word.start,
            end: word.end,
            confidence: word.confidence,
            segment: index,
            entity: entityOf(text),
            ...(word.alternatives === undefined ? {} : { alternatives: word.alternatives }),
          };
        }),
        segment.paragraph_starts ?? null,
      ),
    })),
  );
};

/** Index of the last element `<= value` in an ascending list; -1 if there is none. */
export const lastAtOrBefore = (sorted: ArrayLike<number>, value: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** The word spoken at a time; -1 in a silence. */
export const wordAt = (doc: Doc, seconds: number): number => {
  const index = lastAtOrBefore(doc.starts, seconds + 0.001);
  const word = doc.words[index];
  if (word === undefined) return -1;
  const next = doc.words[index + 1];
  const until = next === undefined ? word.end + 0.5 : Math.min(next.start, word.end + 0.6);
  return seconds <= until ? index : -1;
};

/** The last word that started by a time, else the first; -1 in an empty document. */
export const nearestWordAt = (doc: Doc, seconds: number): number =>
  doc.words.length === 0 ? -1 : Math.max(0, lastAtOrBefore(doc.starts, seconds + 0.001));

/** The paragraph of a word. */
export const paragraphOfWord = (doc: Doc, word: number): number => {
  let low = 0;
  let high = doc.paragraphs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((doc.paragraphs[middle]?.firstWord ?? 0) <= word) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
};
