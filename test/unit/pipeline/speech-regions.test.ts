import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AudioChunk, Span } from '../../../electron/core/engines/ffmpeg/types.ts';
import { islandsOf } from '../../../electron/core/pipeline/recognition/speech-regions.ts';

const RATE = 16_000;
const START = 100;

/** A chunk from second 100 on whose samples are their own numbers. */
const chunk = (seconds: number, silences: readonly Span[]): AudioChunk => ({
  index: 3,
  start: START,
  end: START + seconds,
  pcm: Float32Array.from({ length: Math.round(seconds * RATE) }, (_, index) => index),
  silences,
  peaks: { min: new Int8Array(), max: new Int8Array() },
});

const spans = (parts: readonly AudioChunk[]) => parts.map(({ start, end }) => [start, end]);

it('leaves a chunk without silence as it is', () => {
  const whole = chunk(4, []);
  expect(spans(islandsOf(whole))).toEqual([[100, 104]]);
  expect(islandsOf(whole)[0]?.pcm).toEqual(whole.pcm);
});

it('leaves out silence at both ends but for a moment', () => {
  const parts = islandsOf(
    chunk(30, [
      { start: 100, end: 110 },
      { start: 120, end: 130 },
    ]),
  );
  expect(spans(parts)).toEqual([[109.7, 120.3]]);
  expect(parts[0]?.pcm.length).toBe(Math.round(10.6 * RATE));
  expect(parts[0]?.pcm[0]).toBe(Math.round(9.7 * RATE));
  expect(parts[0]?.silences).toEqual([
    { start: 109.7, end: 110 },
    { start: 120, end: 120.3 },
  ]);
});

it('parts a chunk at a long silence, not at a short one', () => {
  const parts = islandsOf(
    chunk(20, [
      { start: 103, end: 106 },
      { start: 108, end: 114 },
    ]),
  );
  expect(spans(parts)).toEqual([
    [100, 108.3],
    [113.7, 120],
  ]);
});

it('gives nothing of a silent chunk', () => {
  expect(islandsOf(chunk(20, [{ start: 100, end: 120 }]))).toEqual([]);
});

it('never leaves out sound, and gives parts in order that do not overlap', () => {
  const tenths = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 3, max: 90 }));
  fc.assert(
    fc.property(fc.array(tenths, { minLength: 1, maxLength: 5 }), (stretches) => {
      const silences: Span[] = [];
      const sounds: Span[] = [];
      let at = START;
      for (const [sound, silence] of stretches) {
        sounds.push({ start: at, end: at + sound / 10 });
        at += (sound + silence) / 10;
        silences.push({ start: at - silence / 10, end: at });
      }
      const whole = { ...chunk(0, silences), end: at };
      const parts = islandsOf(whole);
      for (const { start, end } of sounds) {
        expect(parts.some((part) => part.start <= start + 1e-9 && part.end >= end - 1e-9)).toBe(true);
      }
      for (const [index, part] of parts.entries()) {
        expect(part.end).toBeGreaterThan(part.start);
        expect(part.start).toBeGreaterThanOrEqual(parts[index - 1]?.end ?? START);
      }
    }),
  );
});
