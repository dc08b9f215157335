import { roundMs } from '../base/numbers.ts';
import { endsContinuous, startsContinuous } from '../base/text.ts';
import type { AnalysisSegment, AnalysisWord } from './types.ts';

/** A word with its UTF-16 offsets in the transcript's text, end exclusive. */
export type LocatedWord = AnalysisWord & {
  /** Index of its segment. */
  segment: number;
  from: number;
  to: number;
};

/**
 * The offsets of each segment in `text`, whatever separates them there. A segment that is not found is empty, at the
 * end of the one before.
 */
export const locateSegments = (
  text: string,
  segments: readonly Pick<AnalysisSegment, 'text'>[],
): { from: number; to: number }[] => {
  let cursor = 0;
  return segments.map((segment) => {
    const part = segment.text.trim();
    const found = text.indexOf(part, cursor);
    if (found < 0) return { from: cursor, to: cursor };
    cursor = found + part.length;
    return { from: found, to: cursor };
  });
};

/**
 * The words of all segments with their offsets in `text`. A word that an edit removed from the text gets the next
 * unused token, so that every word has offsets. A segment without words gets one per token.
 */
export const locateWords = (text: string, segments: readonly AnalysisSegment[]): LocatedWord[] => {
  const ranges = locateSegments(text, segments);
  return segments.flatMap((segment, index) => {
    const range = ranges[index];
    return range ? locateSegmentWords(text, range, segment, index) : [];
  });
};

/** Like `locateWords`, for the segment at `index` alone. */
export const locateSegmentWords = (
  text: string,
  range: { from: number; to: number },
  segment: AnalysisSegment,
  index: number,
): LocatedWord[] => {
  const words = segment.words.length > 0 ? segment.words : wordsFromText(segment);
  return locateInSegment(text.slice(range.from, range.to), range.from, index, words);
};

const locateInSegment = (
  part: string,
  offset: number,
  segment: number,
  words: readonly AnalysisWord[],
): LocatedWord[] => {
  let cursor = 0;
  return words.map((word) => {
    const bare = word.word.trim();
    let from = part.indexOf(bare, cursor);
    let length = bare.length;
    if (bare === '' || from < 0 || from - cursor > 40) {
      const next = /\S+/u.exec(part.slice(cursor));
      from = next ? cursor + next.index : part.length;
      length = next ? next[0].length : 0;
    }
    cursor = from + length;
    return { ...word, word: bare, segment, from: offset + from, to: offset + from + length };
  });
};

/** Words from a segment's text alone: its time is distributed by length, confidence is 0. */
export const wordsFromText = (segment: AnalysisSegment): AnalysisWord[] => {
  const parts = splitWords(segment.text);
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const rate = total > 0 ? (segment.end - segment.start) / total : 0;
  let at = segment.start;
  return parts.map((word) => {
    const start = at;
    at += word.length * rate;
    return { word, start: roundMs(start), end: roundMs(at), confidence: 0, speaker_id: segment.speaker_id };
  });
};

/** Splits at white space, and unspaced scripts after each sentence mark or comma. */
const splitWords = (text: string): string[] => {
  const tokens = text.match(/\S+/gu) ?? [];
  return tokens.flatMap((token) =>
    endsContinuous(token) || startsContinuous(token)
      ? (token.match(/[^。！？、，]+[。！？、，]*[」』”’）]*|[。！？、，]+/gu) ?? [token])
      : [token],
  );
};
