import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  loadAddon,
  type NativeAddon,
  type NativeModel,
} from '../../../electron/core/engines/whisper/addon.ts';
import type { TranscribeParams, WhisperResult } from '../../../electron/core/engines/whisper/types.ts';
import { SHAPES, writeRandomModel } from '../../bench/random-model.ts';
import { testAddon } from '../../support/addon.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { firstSentences } from '../../support/pcm.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Transcription is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const DECODING = { threads: 1, language: 'en', maxContext: 0 } as const satisfies TranscribeParams;

let addon: NativeAddon;
let model: NativeModel;
let pcm: Float32Array;
let fast: WhisperResult;
let aligned: WhisperResult;

const transcribe = (params: TranscribeParams = {}, audio = pcm) =>
  model.transcribe(audio, { ...DECODING, ...params }).promise;

const spoken = ({ segments }: WhisperResult) =>
  segments.flatMap(({ tokens }) => tokens).filter(({ special }) => !special);

beforeAll(async () => {
  addon = loadAddon(await testAddon());
  model = await addon.loadModel(STARTER_MODEL);
  ({ pcm } = firstSentences('01-short-note.wav', 2));
  fast = await transcribe();
  aligned = await transcribe({ alignWords: true });
});
afterAll(() => model.free());

describe('aligned times', () => {
  it('change nothing but the times of text', () => {
    const textOf = ({ segments }: WhisperResult) =>
      segments.map(({ start, end, text, averageLogprob }) => [start, end, text, averageLogprob]);
    expect(textOf(aligned)).toEqual(textOf(fast));
    expect(fast.segments.map((segment) => segment.aligned)).toEqual([false, false]);
    expect(aligned.segments.map((segment) => segment.aligned)).toEqual([true, true]);
    expect(spoken(aligned).map(({ start }) => start)).not.toEqual(spoken(fast).map(({ start }) => start));
  });

  it('ascend, within the audio', () => {
    const times = spoken(aligned).flatMap(({ start, end }) => [start ?? Number.NaN, end ?? Number.NaN]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(0.2);
    expect(times.at(-1)).toBeLessThan(pcm.length / 16_000);
  });

  it('are the same each time', async () => {
    expect(await transcribe({ alignWords: true })).toEqual(aligned);
  });

  it('give punctuation no time of its own', () => {
    const marks = spoken(aligned).filter(({ text }) => /^[.,]$/.test(text));
    expect(marks.length).toBeGreaterThan(1);
    expect(marks.map(({ start, end }) => (end ?? 0) - (start ?? 0))).toEqual(marks.map(() => 0));
  });

  it('can be had in less than the whole window, and from other heads', async () => {
    const short = await transcribe({ alignWords: true, audioContext: 800 });
    expect(short.segments.every((segment) => segment.aligned)).toBe(true);
    const other = await transcribe({ alignWords: true, alignmentHeads: [{ layer: 0, head: 1 }] });
    expect(other.segments.every((segment) => segment.aligned)).toBe(true);
    expect(spoken(other)).not.toEqual(spoken(aligned));
  });

  it('refuse heads that the model has not got', async () => {
    for (const head of [
      { layer: 3, head: 0 },
      { layer: 0, head: 3 },
    ]) {
      await expect(transcribe({ alignWords: true, alignmentHeads: [head] })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
  });

  it('stop when the job is aborted', async () => {
    const job = model.transcribe(pcm, { ...DECODING, alignWords: true }, { onProgress: () => job.abort() });
    await expect(job.promise).rejects.toMatchObject({ code: 'aborted' });
  });

  it.each([
    ['large-v3, but small', { ...SHAPES.toy, decoderLayers: 1, mels: 128, vocabulary: 51_866 }] as const,
  ])('do no harm with a model whose shape and text are nonsense: %s', async (_, shape) => {
    const path = join(temporaryFolder(), 'ggml-random.bin');
    writeRandomModel(path, shape, 'f16');
    const random = await addon.loadModel(path);
    const params = { ...DECODING, temperatureIncrement: 0 };
    const estimated = await random.transcribe(pcm, params).promise;
    const result = await random.transcribe(pcm, { ...params, alignWords: true }).promise;
    expect(result.segments.map(({ text }) => text)).toEqual(estimated.segments.map(({ text }) => text));
    expect(spoken(result).length).toBeGreaterThan(0);
    for (const { start, end } of spoken(result)) expect(end).toBeGreaterThanOrEqual(start ?? Infinity);
    await random.free();
  });
});
