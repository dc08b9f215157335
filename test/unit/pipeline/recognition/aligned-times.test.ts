import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitToSound } from '../../../../electron/core/pipeline/recognition/align-words.ts';

const segment = (...words: [number, number][]) => ({
  text: 'x',
  start: 0,
  end: 10,
  speaker_id: null,
  words: words.map(([start, end]) => ({ word: 'x', start, end, confidence: 1, speaker_id: null })),
});

const fitted = (words: [number, number][], silences: [number, number][]) => {
  const {
    start,
    end,
    words: moved,
  } = fitToSound(
    segment(...words),
    silences.map(([from, to]) => ({ start: from, end: to })),
  );
  return { bounds: [start, end], words: moved.map((word) => [word.start, word.end]) };
};

describe('fitToSound', () => {
  it('sets a segment’s bounds to those of its words', () => {
    expect(
      fitted(
        [
          [1, 2],
          [2, 3.5],
        ],
        [],
      ),
    ).toEqual({
      bounds: [1, 3.5],
      words: [
        [1, 2],
        [2, 3.5],
      ],
    });
  });

  it('ends and begins words where sound fades', () => {
    expect(
      fitted(
        [
          [1, 2.4],
          [2.6, 4],
        ],
        [[2, 3]],
      ).words,
    ).toEqual([
      [1, 2.05],
      [2.95, 4],
    ]);
    expect(
      fitted(
        [
          [1, 2.04],
          [2.96, 4],
        ],
        [[2, 3]],
      ).words,
    ).toEqual([
      [1, 2.04],
      [2.96, 4],
    ]);
  });

  it('keeps the longer part of a word with a silence inside', () => {
    expect(fitted([[1, 3.4]], [[2, 3]]).words).toEqual([[1, 2.05]]);
    expect(fitted([[1.8, 4]], [[2, 3]]).words).toEqual([[2.95, 4]]);
  });

  it('moves a word that lies in a silence to the nearer edge', () => {
    expect(
      fitted(
        [
          [1, 2],
          [2.1, 2.3],
          [2.7, 2.9],
          [3, 4],
        ],
        [[2, 3]],
      ).words,
    ).toEqual([
      [1, 2],
      [2.05, 2.05],
      [2.95, 2.95],
      [3, 4],
    ]);
  });

  it('keeps words in order and out of every silence', () => {
    const ascending = fc
      .uniqueArray(fc.integer({ min: 0, max: 20_000 }), { minLength: 2, maxLength: 20 })
      .map((times) => times.toSorted((a, b) => a - b).map((ms) => ms / 1000))
      .map((times) =>
        times.flatMap((time, i): [number, number][] => (i % 2 ? [[times[i - 1] ?? 0, time]] : [])),
      );
    fc.assert(
      fc.property(ascending, ascending, (words, gaps) => {
        const silences = gaps.filter(([from, to]) => to - from >= 0.2);
        const moved = fitted(words, silences).words.flat();
        expect(moved).toEqual(moved.toSorted((a = 0, b = 0) => a - b));
        for (const [from, to] of silences) {
          const inside = fitted(words, silences).words.filter(
            ([start = 0, end = 0]) => start < to - 0.051 && end > from + 0.051,
          );
          expect(inside).toEqual([]);
        }
      }),
    );
  });
});
