import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import {
  Chunker,
  peaksOf,
  planChunks,
  quietestPoint,
} from '../../../../electron/core/engines/ffmpeg/chunker.ts';
import type { AudioChunk, ChunkOptions, FindSpeech } from '../../../../electron/core/engines/ffmpeg/types.ts';

type Stretch = { readonly loud: boolean; readonly frames: number };

const FRAME = 320;

/** Speech-like noise alternating with silence. */
const build = (stretches: readonly Stretch[]): Float32Array => {
  const pcm = new Float32Array(stretches.reduce((sum, { frames }) => sum + frames * FRAME, 0));
  let at = 0;
  let seed = 1;
  for (const { loud, frames } of stretches) {
    const end = at + frames * FRAME;
    for (let i = at; i < end; i++) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      pcm[i] = loud ? (seed / 2147483648 - 0.5) * 0.8 : 0;
    }
    at = end;
  }
  return pcm;
};

/** Frames with any sound count as speech. */
const findSpeech: FindSpeech = async (pcm) => {
  const spans: { start: number; end: number }[] = [];
  for (let at = 0; at < pcm.length; at += FRAME) {
    if (pcm.subarray(at, at + FRAME).every((sample) => sample === 0)) continue;
    const end = Math.min(pcm.length, at + FRAME) / SAMPLE_RATE;
    const last = spans.at(-1);
    if (last?.end === at / SAMPLE_RATE) last.end = end;
    else spans.push({ start: at / SAMPLE_RATE, end });
  }
  return spans;
};

/** Pushes reads of `readSamples`. */
const chunkAll = async (
  pcm: Float32Array,
  options: ChunkOptions,
  readSamples: number,
  from = { at: 0, index: 0 },
): Promise<AudioChunk[]> => {
  const chunker = new Chunker(planChunks(options), from.at, from.index);
  const chunks: AudioChunk[] = [];
  let position = from.at;
  while (position < pcm.length) {
    const read = pcm.subarray(position, position + readSamples);
    const taken = chunker.push(new Uint8Array(read.buffer, read.byteOffset, read.byteLength));
    position += taken / 4;
    expect(chunker.position).toBe(position);
    for (let chunk = await chunker.next(false); chunk !== null; chunk = await chunker.next(false)) {
      chunks.push(chunk);
    }
  }
  for (let chunk = await chunker.next(true); chunk !== null; chunk = await chunker.next(true)) {
    chunks.push(chunk);
  }
  return chunks;
};

const shape = (chunks: readonly AudioChunk[]): unknown =>
  chunks.map(({ pcm, peaks, ...rest }) => ({ ...rest, length: pcm.length, buckets: peaks.min.length }));

describe('Chunker', () => {
  const options = { minSeconds: 2, windowSeconds: 3, findSpeech };

  it('cuts in the last long enough pause in the window, and leaves half of it to the next chunk', async () => {
    const source = build([
      { loud: true, frames: 60 },
      { loud: false, frames: 30 },
      { loud: true, frames: 20 },
      { loud: false, frames: 10 },
      { loud: true, frames: 5 },
      { loud: false, frames: 25 },
      { loud: true, frames: 200 },
    ]);
    // Pauses start at 1.2, 2.2 and 2.5 s; the second is only 0.2 s long, and the first ends before the minimum.
    const [first] = await chunkAll(source, options, 4096);
    expect(first).toMatchObject({ start: 0, end: 2.75, index: 0 });
    expect(first?.speech).toEqual([
      { start: 0, end: 1.2 },
      { start: 1.8, end: 2.2 },
      { start: 2.4, end: 2.5 },
    ]);
    // With a shorter minimum, the last one in the window is still the one.
    expect((await chunkAll(source, { ...options, minSeconds: 1 }, 4096))[0]?.end).toBe(2.75);
    const short = { ...options, minSeconds: 1, windowSeconds: 2.2 };
    expect((await chunkAll(source, short, 4096))[0]?.end).toBe(1.5);
  });

  it('keeps a long pause, but for half a second before what follows', async () => {
    const source = build([
      { loud: true, frames: 50 },
      { loud: false, frames: 90 },
      { loud: true, frames: 200 },
    ]);
    expect((await chunkAll(source, options, 4096))[0]?.end).toBeCloseTo(2.3, 9);
  });

  it('cuts in the longest pause there is if none is long, at the quietest point if there is none', async () => {
    const source = build([
      { loud: true, frames: 110 },
      { loud: false, frames: 10 },
      { loud: true, frames: 200 },
    ]);
    expect((await chunkAll(source, options, 4096))[0]?.end).toBeCloseTo(2.3, 9);
    const loud = build([{ loud: true, frames: 1000 }]);
    loud.fill(0.001, 2.4 * SAMPLE_RATE, 2.6 * SAMPLE_RATE);
    expect((await chunkAll(loud, options, 4096))[0]?.end).toBe(2.5);
  });

  it('appends a remainder of less than 0.4 s to the last chunk', async () => {
    expect(await chunkAll(build([{ loud: true, frames: 169 }]), options, 4096)).toHaveLength(1);
  });

  it('joins samples that a read cut in two', async () => {
    const pcm = build([{ loud: true, frames: 50 }]);
    const bytes = new Uint8Array(pcm.buffer);
    const chunker = new Chunker(planChunks(options), 0, 0);
    for (let at = 0; at < bytes.length; at += 4093) chunker.push(bytes.subarray(at, at + 4093));
    expect((await chunker.next(true))?.pcm).toEqual(pcm);
  });

  it('yields nothing for no audio', async () => {
    expect(await chunkAll(build([]), options, 4096)).toEqual([]);
  });

  it('covers all audio without gaps, whatever the size of the reads and wherever the decode resumed', async () => {
    const stretch = fc.record({ loud: fc.boolean(), frames: fc.integer({ min: 5, max: 150 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(stretch, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 100, max: 60_000 }),
        async (stretches, readSamples) => {
          const source = build(stretches);
          const chunks = await chunkAll(source, options, 4096);
          expect(shape(await chunkAll(source, options, readSamples))).toEqual(shape(chunks));
          let at = 0;
          for (const chunk of chunks) {
            expect(Math.round(chunk.start * SAMPLE_RATE)).toBe(at);
            at += chunk.pcm.length;
            expect(Math.round(chunk.end * SAMPLE_RATE)).toBe(at);
            expect(chunk.pcm.length).toBeLessThanOrEqual(3.4 * SAMPLE_RATE);
            const resumed = await chunkAll(source, options, readSamples, { at, index: chunk.index + 1 });
            expect(shape(resumed)).toEqual(shape(chunks.slice(chunk.index + 1)));
          }
          expect(at).toBe(source.length);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('peaksOf', () => {
  it('returns the lowest and highest sample of each 1/20 s, the last bucket short', () => {
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
