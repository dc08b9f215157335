import { round } from '../../base/numbers.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';
import { commonWords } from './word-diff.ts';

const splitWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Shares the time from `start` to `end` (seconds) out among words written by a person, in proportion to their lengths. */
const spread = (
  words: readonly string[],
  start: number,
  end: number,
  speaker: string | null,
): StoredWord[] => {
  const total = words.reduce((sum, word) => sum + word.length, 0);
  let passed = 0;
  return words.map((word) => {
    const from = start + ((end - start) * passed) / total;
    passed += word.length;
    const to = start + ((end - start) * passed) / total;
    return { word, start: round(from, 3), end: round(to, 3), confidence: 1, speaker_id: speaker };
  });
};

/**
 * Replaces a segment's text by a person's correction. Words that stay keep their times and confidence; new words take
 * the time of those that they replace, with confidence 1.
 */
export const withText = async (segment: StoredSegment, text: string): Promise<StoredSegment> => {
  const trimmed = text.trim();
  const after = splitWords(trimmed);
  const before = segment.words.map((word) => word.word.trim());
  const words: StoredWord[] = [];
  let i = 0;
  let j = 0;
  const pairs = await commonWords(before, after);
  for (const [keptBefore, keptAfter] of [...pairs, [before.length, after.length] as const]) {
    const added = after.slice(j, keptAfter);
    if (added.length > 0) {
      const start = segment.words[i]?.start ?? words.at(-1)?.end ?? segment.start;
      const replaced = keptBefore > i ? segment.words[keptBefore - 1]?.end : segment.words[keptBefore]?.start;
      const end = Math.max(start, replaced ?? segment.end);
      const speaker = segment.words[i]?.speaker_id ?? segment.speaker_id;
      for (const word of spread(added, start, end, speaker)) words.push(word);
    }
    const kept = segment.words[keptBefore];
    if (kept !== undefined) words.push(kept);
    i = keptBefore + 1;
    j = keptAfter + 1;
  }
  return { ...segment, text: trimmed, words };
};
