import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadAddon, type NativeAddon } from '../../../electron/core/engines/whisper/addon.ts';
import { testAddon } from '../../support/addon.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { writeVadModel } from '../../support/vad-model.ts';

let addon: NativeAddon;
let folder: string;
const pcm = new Float32Array(3 * 16_000);

beforeAll(async () => {
  addon = loadAddon(await testAddon());
  folder = temporaryFolder();
});

describe('speech detection', () => {
  it('gives the stretches in which the model hears speech, in seconds', async () => {
    const everywhere = join(folder, 'everywhere.bin');
    writeVadModel(everywhere, 5);
    const spans = await addon.detectSpeech(pcm, { modelPath: everywhere });
    expect(spans).toHaveLength(1);
    expect(spans[0]?.start).toBeCloseTo(0, 1);
    expect(spans[0]?.end).toBeCloseTo(3, 1);
    const nowhere = join(folder, 'nowhere.bin');
    writeVadModel(nowhere, -5);
    expect(await addon.detectSpeech(pcm, { modelPath: nowhere })).toEqual([]);
    expect(await addon.detectSpeech(pcm, { modelPath: nowhere, threshold: 0.001 })).toHaveLength(1);
  });

  it('refuses a damaged model, another kind of model, and wrong parameters', async () => {
    const damaged = join(folder, 'damaged.bin');
    writeVadModel(damaged, 1);
    const whole = readFileSync(damaged);
    for (const size of [whole.length - 1, whole.length - 600, 200_000, 200, 98, 60, 20, 4, 0]) {
      truncateSync(damaged, size);
      await expect(addon.detectSpeech(pcm, { modelPath: damaged }), `${size}`).rejects.toMatchObject({
        code: 'model_invalid',
      });
    }
    for (const offset of [0, 4, 30, 34, 38, 50, 90, 106, 110, 114, 118]) {
      const bytes = Buffer.from(whole);
      bytes.writeInt32LE(0x7ffffff, offset);
      writeFileSync(damaged, bytes);
      await expect(addon.detectSpeech(pcm, { modelPath: damaged }), `${offset}`).rejects.toMatchObject({
        code: 'model_invalid',
      });
    }
    await expect(addon.detectSpeech(pcm, { modelPath: STARTER_MODEL })).rejects.toMatchObject({
      code: 'model_invalid',
    });
    await expect(addon.detectSpeech(pcm, { modelPath: '' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(addon.detectSpeech(pcm, { modelPath: damaged, threshold: 2 })).rejects.toThrow(
      /'threshold'/,
    );
    await expect(addon.detectSpeech(new Float32Array(0), { modelPath: damaged })).rejects.toThrow(/empty/);
  });
});
