import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loadAddon, type NativeAddon } from '../../../electron/core/engines/whisper/addon.ts';
import { testAddon } from '../../support/addon.ts';
import { parakeetTestModel, writePublishedShape } from '../../support/parakeet-test-model.ts';
import { STARTER_PARAKEET } from '../../support/paths.ts';
import { createRandom, SEED } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const RANDOM_CHANGES = 60;
const model = parakeetTestModel();

let addon: NativeAddon;
let path: string;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

/** Inspects and loads what may be a model, and runs it if it loads. Resolves to the reason, or to `accepted`. */
const outcomeOf = async (bytes: Buffer): Promise<unknown> => {
  writeFileSync(path, bytes);
  try {
    await addon.inspectModel(path);
  } catch (error) {
    await expect(addon.loadModel(path)).rejects.toMatchObject({ code: codeOf(error) });
    return codeOf(error);
  }
  const loaded = await addon.loadModel(path);
  try {
    await loaded.transcribe(new Float32Array(4000).fill(0.1), { threads: 1 }).promise;
    return 'accepted';
  } finally {
    await loaded.free();
  }
};

const changed = (offset: number, value: number): Buffer => {
  const bytes = Buffer.from(model.bytes);
  bytes.writeInt32LE(value, offset);
  return bytes;
};

beforeAll(async () => {
  addon = loadAddon(await testAddon());
  path = join(temporaryFolder(), 'モデル.bin');
});

describe('the file of a Parakeet model', () => {
  it('loads and runs if it is complete', async () => {
    expect(await outcomeOf(model.bytes)).toBe('accepted');
    expect(await addon.inspectModel(path)).toMatchObject({ family: 'parakeet', quantization: 'f32' });
  });

  it.each([
    ['parakeet-tdt-0.6b-v2', 1024, ['en']],
    ['parakeet-tdt-0.6b-v3', 8192, expect.arrayContaining(['de', 'en', 'uk'])],
  ])('is known as %s by its shape', async (type, vocabulary, languages) => {
    writePublishedShape(path, vocabulary);
    expect(await addon.inspectModel(path)).toMatchObject({
      family: 'parakeet',
      type,
      quantization: 'q8_0',
      vocabulary,
      languages,
      multilingual: vocabulary === 8192,
      audioLayers: 24,
      textLayers: 2,
    });
  });

  it('is refused wherever it is cut off, and with a byte too many', async () => {
    const places = new Set([...model.tensors, ...Object.values(model.fields)]);
    for (let size = 0; size < model.bytes.length; size += 97) places.add(size);
    for (const place of [...places]) places.add(place + 1).add(Math.max(0, place - 1));
    for (const size of places) {
      expect(await outcomeOf(model.bytes.subarray(0, size)), `cut at ${size}`).toBe('model_invalid');
    }
    expect(await outcomeOf(Buffer.concat([model.bytes, Buffer.alloc(1)]))).toBe('model_invalid');
  });

  it('is refused with an impossible number in its header', async () => {
    for (const [field, offset] of Object.entries(model.fields)) {
      const { [field]: at = 0 } = model.fields;
      const right = model.bytes.readInt32LE(at);
      for (const value of [-1, 0x7fffffff, -0x80000000, right * 1000 + 7]) {
        expect(await outcomeOf(changed(offset, value)), `${field} = ${value}`).toBe('model_invalid');
      }
    }
    for (const field of ['n_vocab', 'n_audio_state', 'n_pred_dim', 'n_mels', 'n_fft', 'n_conv_kernel']) {
      const offset = model.fields[field] ?? 0;
      const other = model.bytes.readInt32LE(offset) * 2;
      expect(await outcomeOf(changed(offset, other)), `${field} = ${other}`).toBe('model_invalid');
    }
  });

  it('is refused with a damaged tensor', async () => {
    for (const place of model.tensors) {
      for (const [offset, value] of [
        [0, 20],
        [0, -1],
        [4, 0x7fffffff],
        [4, -1],
        [8, 1],
        [8, 99],
        [12, 5],
      ] as const) {
        expect(await outcomeOf(changed(place + offset, value)), `${value} at ${place + offset}`).toBe(
          'model_invalid',
        );
      }
    }
  });

  it('never crashes the process with a changed byte', async () => {
    const random = createRandom(SEED);
    const outcomes = new Map<unknown, number>();
    const headers = [...Object.values(model.fields), ...model.tensors.map((at) => at + random.int(0, 30))];
    for (let change = 0; change < RANDOM_CHANGES; change += 1) {
      const bytes = Buffer.from(model.bytes);
      const at = random.chance(0.5) ? random.pick(headers) : random.int(0, bytes.length - 1);
      bytes.writeUInt8(random.int(0, 255), Math.min(at, bytes.length - 1));
      const outcome = await outcomeOf(bytes);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(['accepted', 'model_invalid']);
  });

  it('is refused when it ends early', async () => {
    const { length } = readFileSync(STARTER_PARAKEET);
    copyFileSync(STARTER_PARAKEET, path);
    for (const size of [length - 1, length - 4096, Math.round(length / 2), 70_000, 100, 63]) {
      truncateSync(path, size);
      await expect(addon.loadModel(path), `cut at ${size}`).rejects.toMatchObject({ code: 'model_invalid' });
    }
  });
});
