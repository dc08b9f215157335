import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadAddon } from '../../../electron/core/engines/whisper/addon.ts';
import { quantizeModel } from '../../../electron/core/engines/whisper/copies/quantize.ts';
import { testAddon, testWhisperCli } from '../../support/addon.ts';
import { readLayout } from '../../support/model-file.ts';
import { sha256 } from '../../support/model-mirror.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { type SmallTensor, writeSmallModel } from '../../support/small-model-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);

let program: string;

// Builds the program where it is not in the cache.
beforeAll(async () => {
  program = join(dirname(await testWhisperCli()), 'whisper-quantize');
}, 900_000);

/** What whisper.cpp's own program makes of a file. */
const byWhisper = (source: string): Buffer => {
  const target = path('by-whisper.bin');
  execFileSync(program, [source, target, 'q8_0'], { stdio: 'ignore' });
  return readFileSync(target);
};

const bySelf = (source: string): Buffer => {
  const target = path('by-self.bin');
  const { bytes, sha256: hash, sourceSha256 } = quantizeModel(source, target);
  const written = readFileSync(target);
  expect({ bytes, hash, sourceSha256 }).toEqual({
    bytes: written.length,
    hash: sha256(written),
    sourceSha256: sha256(readFileSync(source)),
  });
  return written;
};

/** A fixed sequence of whole numbers below 2³². */
const sequence = (): (() => number) => {
  let state = 7;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
};

const matrix = (name: string, values: SmallTensor['values'], rowLength = 32): SmallTensor => ({
  name,
  dimensions: [rowLength, values.length / rowLength],
  values,
});

/** Every finite half, among neighbors of its magnitude and among others. */
const halves = (): Uint16Array => {
  const finite = Array.from({ length: 0x10000 }, (_, bits) => bits).filter(
    (bits) => (bits & 0x7fff) < 0x7c00,
  );
  const mixed = (bits: number) => (bits * 40_503) % 0x10000;
  return Uint16Array.from([...finite, ...finite.toSorted((a, b) => mixed(a) - mixed(b))]);
};

/** Blocks of all magnitudes, of zeros, of ties between two quants, and of one value alone. */
const singles = (): Float32Array => {
  const next = sequence();
  const uniform = () => next() / 2 ** 31 - 1;
  const blocks = Array.from({ length: 4000 }, (_, i) => {
    const magnitude = 10 ** ((i % 70) - 35);
    return Array.from({ length: 32 }, () => uniform() * magnitude);
  });
  const ties = Array.from({ length: 32 }, (_, i) => (i === 0 ? 127 : (i - 16) * 7 + 0.5));
  const alone = Array.from({ length: 32 }, (_, i) => (i === 5 ? -3.25e-3 : 0));
  const negativeZeros = Array.from({ length: 32 }, () => -0);
  return Float32Array.from(
    [...blocks, ties, ties.map((value) => -value / 1024), alone, negativeZeros].flat(),
  );
};

describe('a quantized copy of a model', () => {
  it('has the bytes that whisper.cpp writes, for the demonstration model', async () => {
    expect(bySelf(STARTER_MODEL).equals(byWhisper(STARTER_MODEL))).toBe(true);
    const facts = await loadAddon(await testAddon()).inspectModel(path('by-self.bin'));
    expect(facts).toMatchObject({ quantization: 'q8_0', audioLayers: 4, textLayers: 3 });
  });

  it.each([
    ['halves', 1],
    ['singles', 0],
  ] as const)('has the bytes that whisper.cpp writes, for %s of every magnitude', (kind, fileType) => {
    const source = path(`${kind}.bin`);
    const values = kind === 'halves' ? halves() : singles();
    const tensors = [
      { name: 'vector', dimensions: [3], values: Float32Array.of(1, Number.NaN, 3) },
      {
        name: 'encoder.conv1.weight',
        dimensions: [3, 2, 2],
        values: Uint16Array.from({ length: 12 }, (_, i) => i),
      },
      ...['encoder.conv1.bias', 'decoder.positional_embedding', 'encoder.positional_embeddings'].map((name) =>
        matrix(
          name,
          Float32Array.from({ length: 64 }, (_, i) => i / 7),
        ),
      ),
      matrix('matrix', values),
      matrix('long rows', values.subarray(0, 2048), 1024),
    ];
    writeSmallModel(source, tensors, fileType);
    expect(bySelf(source).equals(byWhisper(source))).toBe(true);
  });

  it('is not made of a number that is not finite', () => {
    const source = path('odd.bin');
    for (const bits of [0x7c00, 0xfc00, 0x7e01, 0xffff]) {
      writeSmallModel(source, [
        matrix(
          'odd',
          Uint16Array.from({ length: 64 }, (_, i) => (i === 40 ? bits : 1)),
        ),
      ]);
      expect(() => quantizeModel(source, path('out.bin'))).toThrow('odd holds a number that is not finite');
    }
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      writeSmallModel(source, [
        matrix('odd', Float32Array.of(value, ...Array.from({ length: 31 }, () => 1))),
      ]);
      expect(() => quantizeModel(source, path('out.bin'))).toThrow('odd holds a number that is not finite');
    }
  });

  it('is not made of a damaged file, of another one, or of a quantized one', () => {
    const { fields, vocabulary, tensors } = readLayout(STARTER_MODEL);
    const [first = 0] = tensors;
    const whole = readFileSync(STARTER_MODEL);
    const damaged = path('damaged.bin');
    const refuses = (message: RegExp) => {
      expect(() => quantizeModel(damaged, path('out.bin'))).toThrow(
        expect.objectContaining({ code: 'model_invalid', message: expect.stringMatching(message) }),
      );
    };
    for (const length of [
      0,
      3,
      40,
      60,
      vocabulary + 2,
      vocabulary + 90,
      first + 6,
      first + 40,
      whole.length - 1,
    ]) {
      writeFileSync(damaged, whole.subarray(0, length));
      refuses(/is cut off/);
    }
    const changes: [number, number, RegExp][] = [
      [0, 0x46554747, /no file of a model/],
      [fields.ftype ?? 0, 2007, /quantized already/],
      [48, 2 ** 30, /absurd size/],
      [vocabulary + 4, -5, /too long/],
      [first, 9, /absurd header/],
      [first + 4, 2 ** 20, /absurd header/],
      [first + 8, 8, /quantized already/],
      [first + 12, -3, /absurd size/],
    ];
    for (const [at, value, message] of changes) {
      const bytes = Buffer.from(whole.subarray(0, first + 4096));
      bytes.writeInt32LE(value, at);
      writeFileSync(damaged, bytes);
      refuses(message);
    }
    writeSmallModel(damaged, [
      matrix(
        'narrow',
        Float32Array.from({ length: 64 }, () => 1),
        16,
      ),
    ]);
    refuses(/rows of narrow are no multiples of 32/);
  });
});
