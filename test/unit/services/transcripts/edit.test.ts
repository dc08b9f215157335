import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commonWords,
  type WordPair,
  withText,
} from '../../../../electron/core/services/transcripts/edited-segments.ts';
import type { StoredSegment } from '../../../../electron/core/stores/segments.ts';

/** The textbook algorithm: a table of all lengths, quadratic in time and memory. */
const byTable = (before: readonly string[], after: readonly string[]): WordPair[] => {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const row = lengths[i];
    for (let j = after.length - 1; row !== undefined && j >= 0; j--) {
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: WordPair[] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
};

const segment = (text: string, more: Partial<StoredSegment> = {}): StoredSegment => {
  const words = text.split(' ');
  return {
    id: 0,
    text,
    start: 0,
    end: words.length,
    speaker_id: null,
    words: words.map((word, i) => ({ word, start: i, end: i + 1, confidence: 0.5, speaker_id: null })),
    ...more,
  };
};

const timed = async (before: string, after: string): Promise<[string, number, number, number][]> =>
  (await withText(segment(before), after)).words.map(({ word, start, end, confidence }) => [
    word,
    start,
    end,
    confidence,
  ]);

const words = fc.array(fc.constantFrom('the', 'a', 'cat', 'dog', 'sat', 'on', 'mat'), { maxLength: 40 });
const SEEDED = { seed: 20_261, numRuns: 1000 } as const;

describe('correcting the text of a segment', () => {
  it('keeps time and confidence of the words that stay', async () => {
    expect(await timed('the cat sat', 'the dog sat')).toEqual([
      ['the', 0, 1, 0.5],
      ['dog', 1, 2, 1],
      ['sat', 2, 3, 0.5],
    ]);
  });

  it('shares the time of replaced words out by the lengths of the new ones', async () => {
    expect(await timed('we like cats here', 'we adore big cats here')).toEqual([
      ['we', 0, 1, 0.5],
      ['adore', 1, 1.625, 1],
      ['big', 1.625, 2, 1],
      ['cats', 2, 3, 0.5],
      ['here', 3, 4, 0.5],
    ]);
  });

  it('gives a word between two that touch no time', async () => {
    expect(await timed('a cat', 'a big cat')).toEqual([
      ['a', 0, 1, 0.5],
      ['big', 1, 1, 1],
      ['cat', 1, 2, 0.5],
    ]);
  });

  it('drops deleted words and keeps the later of two equal ones, as ever', async () => {
    expect(await timed('x the y the', 'the')).toEqual([['the', 1, 2, 0.5]]);
    expect(await timed('one two three', '')).toEqual([]);
  });

  it('gives new words the speaker of the words that they replace', async () => {
    const before = segment('hello there');
    const spoken = { ...before, words: before.words.map((word) => ({ ...word, speaker_id: 'B' })) };
    expect((await withText(spoken, 'hello you')).words.map(({ speaker_id }) => speaker_id)).toEqual([
      'B',
      'B',
    ]);
  });
});

describe('the comparison of two lists of words', () => {
  it('finds the very pairs that the table of all lengths finds', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, async (before, after) => {
        expect(await commonWords(before, after)).toEqual(byTable(before, after));
      }),
      SEEDED,
    );
  });

  it('finds pairs of equal words in ascending order also beyond its limit of edits', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, fc.integer({ min: 1, max: 6 }), async (before, after, maxEdits) => {
        const pairs = await commonWords(before, after, { maxEdits });
        const table = byTable(before, after);
        const edits = before.length + after.length - 2 * table.length;
        if (edits <= maxEdits) expect(pairs).toEqual(table);
        for (const [index, [i, j]] of pairs.entries()) {
          expect(before[i]).toBe(after[j]);
          const [lastI, lastJ] = pairs[index - 1] ?? [-1, -1];
          expect(i > lastI && j > lastJ).toBe(true);
        }
      }),
      SEEDED,
    );
  });

  it('keeps nearly all of 25,000 words of which every tenth is replaced', async () => {
    const before = Array.from({ length: 25_000 }, (_, i) => `w${i % 700}`);
    const after = before.map((word, i) => (i % 10 === 0 ? `n${i}` : word));
    expect((await commonWords(before, after)).length).toBeGreaterThan(22_000);
  });

  it.each([
    ['nothing', (i: number) => `n${i}`],
    ['the same words backwards', (i: number) => `w${19_999 - i}`],
    ['one word alone', () => 'w1'],
  ])('yields to the event loop and stays small with 20,000 words for which %s comes', async (_, word) => {
    const before = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    const after = Array.from({ length: 20_000 }, (_, i) => word(i));
    const memory = process.memoryUsage().arrayBuffers;
    let most = 0;
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
      most = Math.max(most, process.memoryUsage().arrayBuffers - memory);
    }, 5);
    await commonWords(before, after);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(most).toBeLessThan(200 * 1024 * 1024);
  });
});
