import { round } from '../../base/numbers.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';
import { commonWords } from './word-diff.ts';

const splitWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Shares the time from `start` to `end` (seconds) out among words written by a person, in proportion to their lengths. */
const spread = (
  words: readonly string[],
  start: number,
  end: number,
  speaker: Pick<StoredWord, 'speaker_id' | 'speakerGiven'>,
): StoredWord[] => {
  const total = words.reduce((sum, word) => sum + word.length, 0);
  let passed = 0;
  return words.map((word) => {
    const from = start + ((end - start) * passed) / total;
    passed += word.length;
    const to = start + ((end - start) * passed) / total;
    return { word, start: round(from, 3), end: round(to, 3), confidence: 1, ...speaker };
  });
};

/** Words that a person adds before the first word of a paragraph begin it instead. */
const withSameBeginning = (before: readonly StoredWord[], after: StoredWord[]): StoredWord[] => {
  const flag = before[0]?.startsParagraph;
  const [first] = after;
  if (flag === undefined || first === undefined || first.startsParagraph !== undefined) return after;
  const moved = after.map((word) => {
    if (word.start !== before[0]?.start || word.word !== before[0].word) return word;
    const { startsParagraph: _, ...rest } = word;
    return rest;
  });
  return [{ ...first, startsParagraph: flag }, ...moved.slice(1)];
};

/** Breaks and borders of subtitles stay where they were if the words beside them are rewritten. */
const withBordersOf = (replaced: readonly StoredWord[], words: StoredWord[]): StoredWord[] => {
  const starts = replaced.find((word) => word.startsParagraph !== undefined)?.startsParagraph;
  const subtitleStart = replaced[0]?.subtitleStart;
  const subtitleEnd = replaced.at(-1)?.subtitleEnd;
  return words.map((word, index) => ({
    ...word,
    ...(index === 0 && starts !== undefined ? { startsParagraph: starts } : {}),
    ...(index === 0 && subtitleStart !== undefined ? { subtitleStart } : {}),
    ...(index === words.length - 1 && subtitleEnd !== undefined ? { subtitleEnd } : {}),
  }));
};

const withoutAlternatives = ({ alternatives: _, ...word }: StoredWord): StoredWord => word;

/** A person who changes the words beside a word has decided on its other readings, too, which may contain those words. */
const answerAlternatives = (words: StoredWord[], added: number): void => {
  const before = words.length - added - 1;
  const word = words[before];
  if (word !== undefined) words[before] = withoutAlternatives(word);
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
      const { speaker_id = null, speakerGiven } = segment.words[i] ?? segment.words.at(-1) ?? {};
      const speaker = {
        speaker_id: speaker_id ?? segment.speaker_id,
        ...(speakerGiven === undefined ? {} : { speakerGiven }),
      };
      const fresh = spread(added, start, end, speaker);
      words.push(...withBordersOf(segment.words.slice(i, keptBefore), fresh));
    }
    const kept = segment.words[keptBefore];
    const isBesideChange = added.length > 0 || keptBefore > i;
    if (isBesideChange) answerAlternatives(words, added.length);
    if (kept !== undefined) words.push(isBesideChange ? withoutAlternatives(kept) : kept);
    i = keptBefore + 1;
    j = keptAfter + 1;
  }
  return { ...segment, text: trimmed, words: withSameBeginning(segment.words, words) };
};

/** Begins paragraphs at exactly these words, from 0, and continues the paragraph before elsewhere; null decides nothing. */
export const withParagraphs = (segment: StoredSegment, starts: readonly number[] | null): StoredSegment => {
  const wanted = new Set(starts);
  return {
    ...segment,
    words: segment.words.map(({ startsParagraph: _, ...word }, index) => ({
      ...word,
      // Of the first word also "no" is stored, since speakers and pauses would decide otherwise.
      ...(starts !== null && (index === 0 || wanted.has(index))
        ? { startsParagraph: wanted.has(index) }
        : {}),
    })),
  };
};
