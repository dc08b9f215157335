import { copyFileSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadAddon, type NativeAddon } from '../../../electron/core/engines/whisper/addon.ts';
import { testAddon } from '../../support/addon.ts';
import { type ModelLayout, readLayout } from '../../support/model-file.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let addon: NativeAddon;
let folder: string;
let damaged: string;
let layout: ModelLayout;

/** Writes a number into the copy, runs the check, and restores the old bytes. */
const withField = async (offset: number, value: number, check: () => Promise<void>): Promise<void> => {
  const handle = openSync(damaged, 'r+');
  const before = Buffer.alloc(4);
  readSync(handle, before, 0, 4, offset);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  writeSync(handle, bytes, 0, 4, offset);
  try {
    await check();
  } finally {
    writeSync(handle, before, 0, 4, offset);
  }
};

const refuses = async (what: string): Promise<void> => {
  await expect(addon.inspectModel(damaged), what).rejects.toMatchObject({ code: 'model_invalid' });
  await expect(addon.loadModel(damaged), what).rejects.toMatchObject({ code: 'model_invalid' });
};

beforeAll(async () => {
  addon = loadAddon(await testAddon());
  folder = temporaryFolder();
  damaged = join(folder, 'Šimon und 音.bin');
  copyFileSync(STARTER_MODEL, damaged);
  layout = readLayout(STARTER_MODEL);
});

describe('a model file', () => {
  it('is read from a path outside ASCII, with its facts', async () => {
    expect(await addon.inspectModel(damaged)).toMatchObject({
      type: 'custom',
      quantization: 'f16',
      multilingual: true,
      vocabulary: 51_865,
      audioLayers: 4,
      textLayers: 3,
      melBands: 80,
      fileSize: layout.size,
    });
  });

  it('is not found if it is missing or a folder', async () => {
    await expect(addon.loadModel(join(folder, 'none.bin'))).rejects.toMatchObject({
      code: 'model_not_found',
    });
    await expect(addon.loadModel(folder)).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(addon.inspectModel('')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it('is rejected if it is something else', async () => {
    const other = join(folder, 'other.bin');
    for (const content of [
      '',
      'ggml',
      'lmgg',
      '<!doctype html><p>Not found</p>',
      'lmgg'.padEnd(5000, '\xff'),
    ]) {
      writeFileSync(other, content, 'latin1');
      await expect(addon.loadModel(other)).rejects.toMatchObject({ code: 'model_invalid' });
    }
  });

  it('is rejected with the name of an implausible header field', async () => {
    for (const [field, offset] of Object.entries(layout.fields)) {
      for (const value of [-1, 0, 7, 100_000, 0x7fffffff]) {
        await withField(offset, value, () => refuses(`${field} = ${value}`));
      }
    }
    await withField(layout.fields.n_text_layer ?? 0, 4, () => refuses('a layer more than there are tensors'));
    await withField(layout.fields.n_audio_ctx ?? 0, 1499, () =>
      refuses('a context that its tensors do not have'),
    );
    await withField(layout.fields.n_vocab ?? 0, 51_866, () =>
      refuses('a vocabulary that its tensors do not have'),
    );
  });

  it('is rejected with damaged filters, vocabulary or tensor headers', async () => {
    const [first = 0, second = 0] = layout.tensors;
    const places = [
      layout.filters,
      layout.filters + 4,
      layout.vocabulary,
      layout.vocabulary + 4,
      first,
      first + 4,
    ];
    for (const place of [...places, first + 8, first + 12, second, second + 8, layout.tensors.at(-1) ?? 0]) {
      for (const value of [-1, 0x7fffffff])
        await withField(place, value, () => refuses(`${value} at ${place}`));
    }
    await withField(second + 20, 0x41414141, async () => {
      await expect(addon.loadModel(damaged), 'a tensor with another name').rejects.toMatchObject({
        code: 'model_invalid',
      });
    });
  });

  it('is rejected wherever it is cut off, without a crash', async () => {
    const [first = 0, second = 0] = layout.tensors;
    const middle = layout.tensors[Math.floor(layout.tensors.length / 2)] ?? 0;
    const last = layout.tensors.at(-1) ?? 0;
    const marks = [0, 3, 4, 47, 48, layout.filters + 9, layout.vocabulary - 1, layout.vocabulary + 3];
    const words = [layout.vocabulary + 4, layout.vocabulary + 5000, first - 1, first];
    const weights = [
      first + 1,
      first + 11,
      second,
      middle - 2,
      middle,
      middle + 30,
      last,
      last + 40,
      layout.size - 1,
    ];
    // From the end backwards, so that one copy serves all cuts.
    for (const size of [...marks, ...words, ...weights].sort((a, b) => b - a)) {
      truncateSync(damaged, size);
      await refuses(`cut at ${size}`);
    }
    copyFileSync(STARTER_MODEL, damaged);
    writeFileSync(damaged, Buffer.alloc(3), { flag: 'a' });
    await refuses('three bytes too many');
    expect((await addon.inspectModel(STARTER_MODEL)).fileSize).toBe(layout.size);
  });
});
