import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import { Cutter, peaksOf, planCuts, quietestPoint } from '../../../../electron/core/engines/ffmpeg/cutter.ts';
import { SilenceMap } from '../../../../electron/core/engines/ffmpeg/silence-map.ts';
import type { AudioPiece, CutOptions } from '../../../../electron/core/engines/ffmpeg/types.ts';

type Stretch = { readonly loud: boolean; readonly frames: number };

const FRAME = 320;

/** Speech-like noise and silence in turns, and the map that ffmpeg would give for it. */
const build = (stretches: readonly Stretch[]): { pcm: Float32Array; events: [number, number][] } => {
  const total = stretches.reduce((sum, { frames }) => sum + frames * FRAME, 0);
  const pcm = new Float32Array(total);
  const events: [number, number][] = [];
  let at = 0;
  let seed = 1;
  for (const { loud, frames } of stretches) {
    const end = at + frames * FRAME;
    if (!loud && frames * FRAME >= 0.2 * SAMPLE_RATE) events.push([at, end]);
    for (let i = at; i < end; i++) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      pcm[i] = loud ? (seed / 2147483648 - 0.5) * 0.8 : 0;
    }
    at = end;
  }
  return { pcm, events };
};

/** Cuts in chunks of some size, telling of each silence when the samples have reached it, as ffmpeg does. */
const cutAll = (
  source: ReturnType<typeof build>,
  options: CutOptions,
  chunk: number,
  from = { at: 0, index: 0 },
): AudioPiece[] => {
  const silences = new SilenceMap();
  const cutter = new Cutter(planCuts(options), silences, from.at, from.index);
  const pieces: AudioPiece[] = [];
  const pending = source.events.flatMap(([start, end]) => [
    { kind: 'start' as const, sample: start, known: start + 0.2 * SAMPLE_RATE },
    { kind: 'end' as const, sample: end, known: end },
  ]);
  let position = from.at;
  const tell = (): void => {
    while (pending[0] !== undefined && pending[0].known <= position) {
      const event = pending.shift();
      if (event !== undefined) silences.add(event);
    }
  };
  while (position < source.pcm.length) {
    const part = source.pcm.subarray(position, position + Math.min(chunk, cutter.room));
    cutter.push(part);
    position += part.length;
    tell();
    for (let piece = cutter.next(false); piece !== null; piece = cutter.next(false)) pieces.push(piece);
  }
  for (let piece = cutter.next(true); piece !== null; piece = cutter.next(true)) pieces.push(piece);
  return pieces;
};

const shape = (pieces: readonly AudioPiece[]): unknown =>
  pieces.map(({ pcm, peaks, ...rest }) => ({ ...rest, length: pcm.length, buckets: peaks.min.length }));

describe('Cutter', () => {
  const options = { minSeconds: 2, windowSeconds: 3, maxSeconds: 8 };

  it('cuts in the middle of the last long enough silence within the window', () => {
    const source = build([
      { loud: true, frames: 60 },
      { loud: false, frames: 30 },
      { loud: true, frames: 20 },
      { loud: false, frames: 10 },
      { loud: true, frames: 5 },
      { loud: false, frames: 25 },
      { loud: true, frames: 200 },
    ]);
    // From 1.2, 2.2 and 2.5 s on; the second is only 0.2 s long, and the first is over before a piece may end.
    expect(cutAll(source, options, 4096)[0]).toMatchObject({ start: 0, end: 2.75, index: 0, last: false });
    // With a shorter least, the last one in the window is taken all the same.
    expect(cutAll(source, { ...options, minSeconds: 1 }, 4096)[0]?.end).toBe(2.75);
    expect(cutAll(source, { ...options, minSeconds: 1, windowSeconds: 2.2 }, 4096)[0]?.end).toBe(1.5);
  });

  it('cuts in the middle of the first long enough silence after a window without one', () => {
    const source = build([
      { loud: true, frames: 60 },
      { loud: false, frames: 30 },
      { loud: true, frames: 110 },
      { loud: false, frames: 10 },
      { loud: true, frames: 40 },
      { loud: false, frames: 50 },
      { loud: true, frames: 200 },
    ]);
    const [first, second] = cutAll(source, options, 4096);
    // The silence from 5 s to 6 s; that from 4 s is only 0.2 s long.
    expect(first).toMatchObject({ start: 0, end: 5.5, index: 0, last: false });
    expect(first?.silences).toEqual([
      { start: 1.2, end: 1.8 },
      { start: 5, end: 5.5 },
    ]);
    expect(second).toMatchObject({ start: 5.5, index: 1, last: true });
    expect(second?.silences[0]).toEqual({ start: 5.5, end: 6 });
  });

  it('cuts at the quietest point where there is no silence', () => {
    const source = build([{ loud: true, frames: 1000 }]);
    source.pcm.fill(0.001, 6.9 * SAMPLE_RATE, 7.1 * SAMPLE_RATE);
    const [first] = cutAll(source, options, 4096);
    expect(first?.end).toBe(7);
  });

  it('leaves no crumbs: less than a second at the end stays with the piece before', () => {
    const source = build([
      { loud: true, frames: 175 },
      { loud: false, frames: 40 },
      { loud: true, frames: 20 },
    ]);
    expect(cutAll(source, options, 4096)).toHaveLength(1);
  });

  it('makes one empty list of no audio', () => {
    expect(cutAll(build([]), options, 4096)).toEqual([]);
  });

  it('covers all audio without gaps; pieces do not depend on the chunks, nor on where a decode began', () => {
    const stretch = fc.record({ loud: fc.boolean(), frames: fc.integer({ min: 5, max: 150 }) });
    fc.assert(
      fc.property(
        fc.array(stretch, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 100, max: 60_000 }),
        (stretches, chunk) => {
          const source = build(stretches);
          const pieces = cutAll(source, options, 4096);
          expect(shape(cutAll(source, options, chunk))).toEqual(shape(pieces));
          let at = 0;
          for (const piece of pieces) {
            expect(Math.round(piece.start * SAMPLE_RATE)).toBe(at);
            at += piece.pcm.length;
            expect(Math.round(piece.end * SAMPLE_RATE)).toBe(at);
            expect(piece.pcm.length).toBeLessThanOrEqual(9 * SAMPLE_RATE);
            const resumed = cutAll(source, options, chunk, { at, index: piece.index + 1 });
            expect(shape(resumed)).toEqual(shape(pieces.slice(piece.index + 1)));
          }
          expect(at).toBe(source.pcm.length);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('peaksOf', () => {
  it('gives the lowest and highest sample of each 1/20 s, the last bucket short', () => {
    const pcm = new Float32Array(1700);
    pcm[10] = 0.5;
    pcm[799] = -1;
    pcm[800] = 1.5;
    pcm[1650] = -0.25;
    const { min, max } = peaksOf(pcm);
    expect([...min]).toEqual([-127, 0, -32]);
    expect([...max]).toEqual([64, 127, 0]);
  });
});

describe('quietestPoint', () => {
  it('stays inside the second half and on bucket borders', () => {
    const pcm = new Float32Array(10 * SAMPLE_RATE).fill(0.5);
    pcm.fill(0, 0, 4 * SAMPLE_RATE);
    const point = quietestPoint(pcm, SAMPLE_RATE, 10 * SAMPLE_RATE);
    expect(point).toBeGreaterThanOrEqual(5 * SAMPLE_RATE);
    expect(point % 800).toBe(0);
  });
});
