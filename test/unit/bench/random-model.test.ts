import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SHAPES, writeRandomModel } from '../../bench/random-model.ts';
import { breadth } from '../../support/breadth.ts';
import { readLayout } from '../../support/model-file.ts';
import { ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const TURBO = SHAPES['large-v3-turbo'];
const SHALLOW = { ...TURBO, encoderLayers: 1, decoderLayers: 1 };
/** The largest matrix of large-v3-turbo, and little else. */
const NO_LAYERS = { ...TURBO, encoderLayers: 0, decoderLayers: 0 };

const bench = (file: string): string => pathToFileURL(join(ROOT, 'test', 'bench', file)).href;

describe('a random model', () => {
  it('has the dimensions of its shape, and ends with its last tensor', () => {
    const path = join(folder, 'shallow.bin');
    writeRandomModel(path, { ...SHALLOW, width: 128, heads: 2, encoderLayers: 3 }, 'f16');
    const { size, fields, tensors } = readLayout(path);
    const file = readFileSync(path);
    const fieldOf = (field: string): number => file.readInt32LE(fields[field] ?? Number.NaN);
    expect(Object.fromEntries(Object.keys(fields).map((field) => [field, fieldOf(field)]))).toEqual({
      n_vocab: 51_866,
      n_audio_ctx: 1500,
      n_audio_state: 128,
      n_audio_head: 2,
      n_audio_layer: 3,
      n_text_ctx: 448,
      n_text_state: 128,
      n_text_head: 2,
      n_text_layer: 1,
      n_mels: 128,
      ftype: 1,
    });
    expect(tensors).toHaveLength(5 + 3 * 15 + 24 + 4 + 2);
    const last = tensors.at(-1) ?? Number.NaN;
    const name = 'decoder.token_embedding.weight';
    expect(file.toString('utf8', last + 20, last + 20 + name.length)).toBe(name);
    expect(size).toBe(last + 20 + name.length + 2 * 128 * 51_866);
  });

  it('repeats no row of a matrix', () => {
    const path = join(folder, 'rows.bin');
    writeRandomModel(path, { ...SHALLOW, width: 64, heads: 1 }, 'q8_0');
    const bytes = (64 / 32) * 34;
    const embedding = readFileSync(path).subarray(-bytes * 51_866);
    const rows = new Set(
      Array.from({ length: 51_866 }, (_, row) =>
        embedding.toString('latin1', row * bytes, (row + 1) * bytes),
      ),
    );
    expect(rows.size).toBe(51_866);
  });

  // Of the benchmarks alone: none of the program's models is made so.
  if (breadth(false, true)) {
    it('takes far less memory to write, in both forms, than its largest matrix', () => {
      const path = join(folder, 'large.bin');
      const script = `
        const { writeRandomModel } = await import('${bench('random-model.ts')}');
        const { writeCtranslate2Model } = await import('${bench('ctranslate2-model.ts')}');
        const before = process.resourceUsage().maxRSS;
        writeRandomModel(${JSON.stringify(path)}, ${JSON.stringify(NO_LAYERS)}, 'q8_0');
        writeCtranslate2Model(${JSON.stringify(path)}, ${JSON.stringify(`${path}-ctranslate2`)});
        console.log(process.resourceUsage().maxRSS - before);`;
      const kilobytes = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script]));
      const numbers = TURBO.width * TURBO.vocabulary;
      expect(statSync(path).size).toBeGreaterThan(numbers);
      // The matrix has 265 MB of numbers of four bytes each.
      expect(kilobytes / 1024).toBeLessThan(160);
    });
  }
});
