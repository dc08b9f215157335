import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiarizer, createSpeakerModelTrial } from '../../../electron/core/engines/diarizer/diarizer.ts';
import { linkSpeakers } from '../../../electron/core/engines/diarizer/link-speakers.ts';
import { onnxMetadata } from '../../../electron/core/engines/diarizer/onnx-header.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/process.ts';
import { WORKER_ENTRY } from '../../support/paths.ts';
import { createRandom, SEED } from '../../support/random.ts';
import { starterModels } from '../../support/speaker-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fork = forkNodeWorker(WORKER_ENTRY);

async function* noise(chunks: number) {
  const random = createRandom(SEED);
  for (let i = 0; i < chunks; i++) {
    yield { pcm: Float32Array.from({ length: 60 * 16_000 }, () => random.next() - 0.5) };
  }
}

describe('the process that tells speakers apart', () => {
  it('takes nobody down with it when its models are missing', async () => {
    const models = { segmentation: '/none.onnx', embedding: '/none.onnx', sameSpeakerCosine: 0.8 };
    const { signal } = new AbortController();
    await expect(createDiarizer(fork)(noise(1), { models, speakers: null, signal })).rejects.toMatchObject({
      name: 'AppError',
    });
  });

  it('ends when it is not wanted any more', async () => {
    const controller = new AbortController();
    const result = createDiarizer(fork)(noise(5), {
      models: starterModels,
      speakers: null,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 1500);
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a model of speakers', () => {
  const { segmentation, embedding } = starterModels;
  const tryModel = createSpeakerModelTrial(fork);

  it('is let work before it is kept', async () => {
    await tryModel({ part: 'embedding', path: embedding, counterpart: segmentation });
    await tryModel({ part: 'segmentation', path: segmentation, counterpart: embedding });
  });

  it('that cannot be used is found out, and takes nobody down', async () => {
    await expect(
      tryModel({ part: 'embedding', path: segmentation, counterpart: segmentation }),
    ).rejects.toMatchObject({ code: 'model_invalid' });
  });

  it('says what it is in its metadata; a file that was cut off is none', async () => {
    expect((await onnxMetadata(embedding))?.get('framework')).toBe('wespeaker');
    expect((await onnxMetadata(segmentation))?.get('model_type')).toBe('pyannote-segmentation-3.0');
    const path = temporaryFolder();
    const cut = join(path, 'cut.onnx');
    await writeFile(cut, (await readFile(embedding)).subarray(0, 300_000));
    expect(await onnxMetadata(cut)).toBeUndefined();
    await writeFile(cut, '<!doctype html><title>404</title>');
    expect(await onnxMetadata(cut)).toBeUndefined();
  });
});

describe('voices of different blocks', () => {
  const voice = (block: number, embedding: number[], seconds = 60) => ({
    block,
    embedding: Float32Array.from(embedding),
    seconds,
  });
  const voices = [voice(0, [1, 0]), voice(0, [0, 1]), voice(1, [0.1, 1]), voice(1, [1, 0.1])];

  it('are one where they sound alike', () => {
    expect(linkSpeakers(voices, null, 0.8)).toEqual([0, 1, 1, 0]);
  });

  it('are one also where a block took one speaker for two', () => {
    const [a, , , , again] = linkSpeakers([...voices, voice(0, [1, 0.3])], null, 0.8);
    expect(again).toBe(a);
  });

  it('are as many as were said to speak', () => {
    expect(new Set(linkSpeakers([...voices, voice(1, [0.7, 0.7])], 3, 0.8)).size).toBe(3);
    expect(new Set(linkSpeakers(voices, 1, 0.8)).size).toBe(1);
  });

  it('leave no speaker who is nothing but a stray stretch', () => {
    const stray = voice(1, [0.8, -1], 0.5);
    expect(linkSpeakers([...voices, stray], null, 0.8)).toEqual([0, 1, 1, 0, 0]);
    expect(new Set(linkSpeakers([...voices, { ...stray, seconds: 20 }], null, 0.8)).size).toBe(3);
  });
});
