import { round } from '../../base/numbers.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';

const splitWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Longest common subsequence of two word lists: pairs of indices that stay as they are. */
const commonWords = (before: readonly string[], after: readonly string[]): [number, number][] => {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const row = lengths[i];
    for (let j = after.length - 1; row !== undefined && j >= 0; j--) {
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
};

/** Spreads new words over a stretch of time by their lengths. */
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
 * A segment with its text corrected by a person. Words that stay keep their times and confidence; what was
 * put in their place takes the time of what it replaces, with confidence 1, since a person wrote it.
 */
export const withText = (segment: StoredSegment, text: string): StoredSegment => {
  const trimmed = text.trim();
  const after = splitWords(trimmed);
  const before = segment.words.map((word) => word.word.trim());
  const words: StoredWord[] = [];
  let i = 0;
  let j = 0;
  for (const [keptBefore, keptAfter] of [
    ...commonWords(before, after),
    [before.length, after.length] as const,
  ]) {
    const added = after.slice(j, keptAfter);
    if (added.length > 0) {
      const start = segment.words[i]?.start ?? words.at(-1)?.end ?? segment.start;
      const replaced = keptBefore > i ? segment.words[keptBefore - 1]?.end : segment.words[keptBefore]?.start;
      const end = Math.max(start, replaced ?? segment.end);
      words.push(...spread(added, start, end, segment.words[i]?.speaker_id ?? segment.speaker_id));
    }
    const kept = segment.words[keptBefore];
    if (kept !== undefined) words.push(kept);
    i = keptBefore + 1;
    j = keptAfter + 1;
  }
  return { ...segment, text: trimmed, words };
};
