import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiarizer, createSpeakerModelTrial } from '../../../electron/core/engines/diarizer/diarizer.ts';
import { onnxMetadata } from '../../../electron/core/engines/diarizer/onnx-header.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/client.ts';
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
      clusteringThreshold: 0.45,
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
