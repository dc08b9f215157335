import fc from 'fast-check';
import { expect, it } from 'vitest';
import { trimSilence } from '../../../../electron/core/pipeline/recognition/speech-regions.ts';

const word = (start: number, end: number) => ({ word: 'x', start, end, confidence: 1, speaker_id: null });
const segment = (start: number, end: number, words: [number, number][]) => ({
  text: 'x',
  start,
  end,
  speaker_id: null,
  words: words.map(([from, to]) => word(from, to)),
});

it('moves a start out of the pause before it, with the words placed there', () => {
  const trimmed = trimSilence(
    segment(5, 12, [
      [5, 7],
      [7, 10.5],
      [10.5, 12],
    ]),
    [{ start: 4, end: 10.05 }],
  );
  expect(trimmed.start).toBe(10);
  expect(trimmed.words.map((w) => [w.start, w.end])).toEqual([
    [10, 10.182],
    [10.182, 10.5],
    [10.5, 12],
  ]);
});

it('moves an end out of the pause after it', () => {
  const trimmed = trimSilence(
    segment(0, 9, [
      [0, 1],
      [1, 2],
      [2, 9],
    ]),
    [{ start: 2.95, end: 9 }],
  );
  expect(trimmed.end).toBe(3);
  expect(trimmed.words.at(-1)).toMatchObject({ start: 2, end: 3 });
});

it('leaves a segment with sound at both ends, or with nothing but silence, unchanged', () => {
  const plain = segment(1, 3, [
    [1, 2],
    [2, 3],
  ]);
  expect(trimSilence(plain, [{ start: 1.5, end: 2 }])).toEqual(plain);
  expect(trimSilence(plain, [{ start: 0, end: 5 }])).toEqual(plain);
});

it('keeps times ascending and inside the segment', () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 20_000 }))
    .map(([a, b]) => ({
      start: a / 1000,
      end: (a + b) / 1000,
    }));
  const times = fc
    .array(fc.integer({ min: 0, max: 30_000 }), { minLength: 2, maxLength: 12 })
    .map((list) => list.toSorted((a, b) => a - b).map((t) => t / 1000));
  fc.assert(
    fc.property(times, fc.array(span, { maxLength: 4 }), (list, silences) => {
      const words = list.slice(1).map((end, index): [number, number] => [list[index] ?? 0, end]);
      const trimmed = trimSilence(segment(list[0] ?? 0, list.at(-1) ?? 0, words), silences);
      const all = [trimmed.start, ...trimmed.words.flatMap((w) => [w.start, w.end]), trimmed.end];
      expect(all).toEqual(all.toSorted((a, b) => a - b));
    }),
  );
});
