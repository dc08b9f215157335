import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiarizer, starterDiarization } from '../../electron/core/engines/diarizer/diarizer.ts';
import { linkSpeakers } from '../../electron/core/engines/diarizer/link-speakers.ts';
import { forkNodeWorker } from '../../electron/core/engines/whisper/index.ts';

const program = resolve(import.meta.dirname, '..', '..');
const fork = forkNodeWorker(resolve(program, 'electron', 'worker', 'main.ts'));

async function* noise(pieces: number) {
  for (let i = 0; i < pieces; i++) {
    yield { pcm: Float32Array.from({ length: 60 * 16_000 }, () => Math.random() - 0.5) };
  }
}

describe('the process that tells speakers apart', () => {
  it('takes nobody down with it when its models are missing', async () => {
    const diarize = createDiarizer(fork, { segmentation: '/none.onnx', embedding: '/none.onnx' });
    const { signal } = new AbortController();
    await expect(diarize(noise(1), { speakers: null, signal })).rejects.toMatchObject({ name: 'AppError' });
  });

  it('ends when it is not wanted any more', async () => {
    const diarize = createDiarizer(fork, starterDiarization(resolve(program, 'resources')));
    const controller = new AbortController();
    const result = diarize(noise(5), { speakers: null, signal: controller.signal });
    setTimeout(() => controller.abort(), 1500);
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('voices of different blocks', () => {
  const voice = (block: number, ...embedding: number[]) => ({
    block,
    embedding: Float32Array.from(embedding),
  });
  const voices = [voice(0, 1, 0), voice(0, 0, 1), voice(1, 0.1, 1), voice(1, 1, 0.1)];

  it('are one where they sound alike', () => {
    expect(linkSpeakers(voices, null, 0.5)).toEqual([0, 1, 1, 0]);
  });

  it('are never joined within a block, whatever number is asked for', () => {
    const [a, b] = linkSpeakers(voices, 1, 0.5);
    expect(a).not.toBe(b);
  });
});
