import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiarizer, createSpeakerModelTrial } from '../../../electron/core/engines/diarizer/diarizer.ts';
import { linkSpeakers } from '../../../electron/core/engines/diarizer/link-speakers.ts';
import { onnxMetadata } from '../../../electron/core/engines/diarizer/onnx-header.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/process.ts';
import { WORKER_ENTRY } from '../../support/paths.ts';
import { createRandom, SEED } from '../../support/random.ts';
import { speakerModels } from '../../support/speaker-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fork = forkNodeWorker(WORKER_ENTRY);

async function* noise(chunks: number) {
  const random = createRandom(SEED);
  for (let i = 0; i < chunks; i++) {
    yield { pcm: Float32Array.from({ length: 60 * 16_000 }, () => random.next() - 0.5) };
  }
}

describe('the diarizer', () => {
  it('rejects with an AppError when its models are missing', async () => {
    const models = {
      segmentation: '/none.onnx',
      embedding: '/none.onnx',
      sameSpeakerCosine: 0.8,
      windowShiftRatio: 0.25,
    };
    const { signal } = new AbortController();
    await expect(createDiarizer(fork)(noise(1), { models, speakers: null, signal })).rejects.toMatchObject({
      name: 'AppError',
    });
  });

  it('ends when it is cancelled', async () => {
    const controller = new AbortController();
    const result = createDiarizer(fork)(noise(5), {
      models: speakerModels,
      speakers: null,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 1500);
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a speaker model', () => {
  const { segmentation, embedding } = speakerModels;
  const tryModel = createSpeakerModelTrial(fork);

  it('is tried before it is accepted', async () => {
    await tryModel({ part: 'embedding', path: embedding, counterpart: segmentation });
    await tryModel({ part: 'segmentation', path: segmentation, counterpart: embedding });
  });

  it('is rejected if it cannot be used, without a crash', async () => {
    await expect(
      tryModel({ part: 'embedding', path: segmentation, counterpart: segmentation }),
    ).rejects.toMatchObject({ code: 'model_invalid' });
  });

  it('describes itself in its metadata; a truncated file has none', async () => {
    expect((await onnxMetadata(embedding))?.get('framework')).toBe('3d-speaker');
    expect((await onnxMetadata(segmentation))?.get('model_type')).toBe('pyannote-segmentation-3.0');
    const path = temporaryFolder();
    const cut = join(path, 'cut.onnx');
    await writeFile(cut, (await readFile(embedding)).subarray(0, 300_000));
    expect(await onnxMetadata(cut)).toBeUndefined();
    await writeFile(cut, '<!doctype html><title>404</title>');
    expect(await onnxMetadata(cut)).toBeUndefined();
  });
});

describe('linkSpeakers', () => {
  const voice = (block: number, embedding: number[], seconds = 60) => ({
    block,
    embedding: Float32Array.from(embedding),
    seconds,
  });
  const voices = [voice(0, [1, 0]), voice(0, [0, 1]), voice(1, [0.1, 1]), voice(1, [1, 0.1])];

  it('merges similar speakers of different blocks', () => {
    expect(linkSpeakers(voices, null, 0.8)).toEqual([0, 1, 1, 0]);
  });

  it('merges two clusters of the same block', () => {
    const [a, , , , again] = linkSpeakers([...voices, voice(0, [1, 0.3])], null, 0.8);
    expect(again).toBe(a);
  });

  it('returns as many speakers as were given', () => {
    expect(new Set(linkSpeakers([...voices, voice(1, [0.7, 0.7])], 3, 0.8)).size).toBe(3);
    expect(new Set(linkSpeakers(voices, 1, 0.8)).size).toBe(1);
  });

  it('absorbs speakers who are only a stray stretch', () => {
    const stray = voice(1, [0.8, -1], 0.5);
    expect(linkSpeakers([...voices, stray], null, 0.8)).toEqual([0, 1, 1, 0, 0]);
    expect(new Set(linkSpeakers([...voices, { ...stray, seconds: 20 }], null, 0.8)).size).toBe(3);
  });
});
