import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeCtranslate2Model } from '../../bench/ctranslate2-model.ts';
import { SHAPES, writeRandomModel } from '../../bench/random-model.ts';
import { readLayout } from '../../support/model-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const SHAPE = { ...SHAPES.toy, decoderLayers: 1, mels: 128, vocabulary: 51_866 };
const { width, vocabulary } = SHAPE;

type Variable = { readonly shape: readonly number[]; readonly type: number; readonly bytes: Buffer };

/** Reads what CTranslate2's loader reads (`model.cc`). */
const readVariables = (path: string) => {
  const file = readFileSync(path);
  let at = 0;
  const next = (length: number): Buffer => {
    at += length;
    return file.subarray(at - length, at);
  };
  const integer = (): number => next(4).readUInt32LE();
  const text = (): string => next(next(2).readUInt16LE()).toString('utf8').replace(/\0$/, '');
  const [version, spec, revision] = [integer(), text(), integer()];
  const variables = new Map<string, Variable>();
  for (let left = integer(); left > 0; left--) {
    const name = text();
    const shape = Array.from({ length: next(1).readUInt8() }, integer);
    const type = next(1).readUInt8();
    variables.set(name, { shape, type, bytes: next(integer()) });
  }
  const aliases = Array.from({ length: integer() }, () => [text(), text()]);
  return { version, spec, revision, variables, aliases, isAtEnd: at === file.length };
};

const floats = ({ bytes }: Variable): Float32Array =>
  Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));

let ggml: string;
let all: ReturnType<typeof readVariables>;

const variable = (name: string): Variable => {
  const found = all.variables.get(name);
  if (!found) throw new Error(`There is no variable ${name}.`);
  return found;
};

/** The numbers of a matrix of f16, or those of a vector, in GGML's file. */
const tensor = (name: string): Float32Array => {
  const file = readFileSync(ggml);
  for (const at of readLayout(ggml).tensors) {
    const [dimensions, length, type] = [0, 4, 8].map((offset) => file.readInt32LE(at + offset));
    if (dimensions === undefined || length === undefined) continue;
    const nameAt = at + 12 + 4 * dimensions;
    if (file.toString('utf8', nameAt, nameAt + length) !== name) continue;
    let count = 1;
    for (let i = 0; i < dimensions; i++) count *= file.readInt32LE(at + 12 + 4 * i);
    const own = new Uint8Array(
      file.subarray(nameAt + length, nameAt + length + count * (type === 1 ? 2 : 4)),
    );
    return Float32Array.from(type === 1 ? new Float16Array(own.buffer) : new Float32Array(own.buffer));
  }
  throw new Error(`There is no tensor ${name}.`);
};

/** The largest difference between numbers and what their 8-bit form stands for, in steps of the row's scale. */
const largestError = (name: string, numbers: Float32Array): number => {
  const { bytes } = variable(`${name}/weight`);
  const scales = floats(variable(`${name}/weight_scale`));
  return numbers.reduce((largest, value, i) => {
    const scale = scales[Math.floor(i / width)] ?? Number.NaN;
    return Math.max(largest, Math.abs(value * scale - bytes.readInt8(i)));
  }, 0);
};

beforeAll(() => {
  ggml = join(folder, 'toy.bin');
  writeRandomModel(ggml, SHAPE, 'f16');
  writeCtranslate2Model(ggml, join(folder, 'toy'));
  all = readVariables(join(folder, 'toy', 'model.bin'));
});

describe("a model in CTranslate2's form", () => {
  it('is a whole file of its current version', () => {
    const { version, spec, revision, isAtEnd, aliases } = all;
    expect({ version, spec, revision, isAtEnd }).toEqual({
      version: 6,
      spec: 'WhisperSpec',
      revision: 3,
      isAtEnd: true,
    });
    expect(aliases).toEqual([['decoder/projection/weight', 'decoder/embeddings/weight']]);
    for (const [name, { shape, type, bytes }] of all.variables)
      expect([name, bytes.length]).toEqual([
        name,
        shape.reduce((a, b) => a * b, [4, 1, 2][type] ?? Number.NaN),
      ]);
  });

  it('has the same numbers in 8 bits, rounded to the nearest', () => {
    const embedding = tensor('decoder.token_embedding.weight');
    expect(variable('decoder/embeddings/weight').shape).toEqual([vocabulary, width]);
    expect(largestError('decoder/embeddings', embedding)).toBeLessThanOrEqual(0.501);
    expect(
      Math.max(...variable('decoder/embeddings/weight').bytes.subarray(0, width).map(Math.abs)),
    ).toBeGreaterThan(0);
  });

  it('joins products over the same input, and gives keys a bias of zero', () => {
    const own = ['query', 'key', 'value'].map((part) => tensor(`encoder.blocks.1.attn.${part}.weight`));
    const joined = Float32Array.from(own.flatMap((part) => [...part]));
    expect(largestError('encoder/layer_1/self_attention/linear_0', joined)).toBeLessThanOrEqual(0.501);
    const bias = floats(variable('encoder/layer_1/self_attention/linear_0/bias'));
    expect(bias.subarray(0, width)).toEqual(tensor('encoder.blocks.1.attn.query.bias'));
    expect(bias.subarray(width, 2 * width)).toEqual(new Float32Array(width));
    expect(bias.subarray(2 * width)).toEqual(tensor('encoder.blocks.1.attn.value.bias'));
  });

  it('names special tokens where the model has them, a language more in large-v3', () => {
    const names = JSON.parse(readFileSync(join(folder, 'toy', 'vocabulary.json'), 'utf8'));
    expect(names).toHaveLength(vocabulary);
    expect(
      [50_257, 50_258, 50_259, 50_358, 50_359, 50_363, 50_364, 50_365, 51_865].map((id) => names[id]),
    ).toEqual([
      '<|endoftext|>',
      '<|startoftranscript|>',
      '<|l0|>',
      '<|l99|>',
      '<|translate|>',
      '<|nospeech|>',
      '<|notimestamps|>',
      '<|0.00|>',
      '<|30.00|>',
    ]);
    const filters = readFileSync(join(folder, 'toy', 'mel_filters.f32'));
    expect(filters).toHaveLength(4 * 128 * 201);
  });
});
