import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { STARTER_MODEL } from '../support/paths.ts';

/** Width, heads and layers of OpenAI's models, and of one smaller than any of them. */
export const SHAPES = {
  toy: { width: 128, heads: 2, layers: 2 },
  base: { width: 512, heads: 8, layers: 6 },
  small: { width: 768, heads: 12, layers: 12 },
} as const;

export type Shape = keyof typeof SHAPES;

const FTYPE = { f16: 1, q8_0: 7 } as const;
const TENSOR_TYPE = { f32: 0, f16: 1, q8_0: 8 } as const;
const HEADER_BYTES = 4 + 11 * 4;
const BLOCK = 32;
const BLOCK_BYTES = 2 + BLOCK;
const NAME = /\.bias$|_ln\.weight$|positional_embedding$|\bln(?:_post)?\.weight$/;

/** The end of the vocabulary in a model file, whose tensors begin there. */
const endOfVocabulary = (file: Buffer): number => {
  const filters = file.readInt32LE(HEADER_BYTES) * file.readInt32LE(HEADER_BYTES + 4);
  let at = HEADER_BYTES + 8 + 4 * filters;
  const tokens = file.readInt32LE(at);
  at += 4;
  for (let i = 0; i < tokens; i++) at += 4 + file.readInt32LE(at);
  return at;
};

/** Names and dimensions of a model's tensors, the innermost dimension first. */
const tensorsOf = ({ width, layers }: { width: number; layers: number }, vocabulary: number) => {
  const tensors: [name: string, dimensions: number[]][] = [];
  const linear = (name: string, from: number, to: number, hasBias = true): void => {
    tensors.push([`${name}.weight`, [from, to]]);
    if (hasBias) tensors.push([`${name}.bias`, [to]]);
  };
  const norm = (name: string): void => {
    tensors.push([`${name}.weight`, [width]], [`${name}.bias`, [width]]);
  };
  const attention = (name: string): void => {
    for (const part of ['query', 'key', 'value', 'out'])
      linear(`${name}.${part}`, width, width, part !== 'key');
  };
  tensors.push(['encoder.positional_embedding', [width, 1500]]);
  tensors.push(['encoder.conv1.weight', [3, 80, width]], ['encoder.conv1.bias', [1, width]]);
  tensors.push(['encoder.conv2.weight', [3, width, width]], ['encoder.conv2.bias', [1, width]]);
  for (const side of ['encoder', 'decoder']) {
    for (let layer = 0; layer < layers; layer++) {
      const block = `${side}.blocks.${layer}`;
      for (const name of side === 'encoder' ? ['attn'] : ['attn', 'cross_attn']) {
        attention(`${block}.${name}`);
        norm(`${block}.${name}_ln`);
      }
      linear(`${block}.mlp.0`, width, 4 * width);
      linear(`${block}.mlp.2`, 4 * width, width);
      norm(`${block}.mlp_ln`);
    }
  }
  norm('encoder.ln_post');
  norm('decoder.ln');
  tensors.push(['decoder.positional_embedding', [width, 448]]);
  tensors.push(['decoder.token_embedding.weight', [width, vocabulary]]);
  return tensors;
};

/** Numbers of about N(0, 0.02) with a fixed seed: xorshift, and the sum of four uniform shares. */
const randomWeights = (): (() => number) => {
  let state = 7;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  };
  return () => (uniform() + uniform() + uniform() + uniform()) * 0.02 * Math.sqrt(3);
};

/** ggml's q8_0: blocks of 32 numbers, a half-precision scale and 32 signed bytes each. */
const quantized = (values: Float32Array): Buffer => {
  const bytes = Buffer.alloc((values.length / BLOCK) * BLOCK_BYTES);
  for (let block = 0; block < values.length / BLOCK; block++) {
    const part = values.subarray(block * BLOCK, (block + 1) * BLOCK);
    const scale = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    bytes.set(new Uint8Array(Float16Array.of(scale).buffer), block * BLOCK_BYTES);
    part.forEach((value, i) => {
      bytes.writeInt8(scale ? Math.round(value / scale) : 0, block * BLOCK_BYTES + 2 + i);
    });
  }
  return bytes;
};

const encode = (values: Float32Array, type: keyof typeof TENSOR_TYPE): Uint8Array => {
  if (type === 'q8_0') return quantized(values);
  return new Uint8Array(type === 'f16' ? new Float16Array(values).buffer : values.buffer);
};

/**
 * Writes a Whisper model of the given shape with random weights and the starter model's vocabulary. Its text is nonsense;
 * its speed is that of a trained model of the shape.
 */
export const writeRandomModel = (path: string, shape: Shape, type: keyof typeof FTYPE): void => {
  const starter = readFileSync(STARTER_MODEL);
  const start = Buffer.from(starter.subarray(0, endOfVocabulary(starter)));
  const { width, heads, layers } = SHAPES[shape];
  const vocabulary = start.readInt32LE(4);
  [vocabulary, 1500, width, heads, layers, 448, width, heads, layers, 80, FTYPE[type]].forEach((value, i) => {
    start.writeInt32LE(value, 4 + 4 * i);
  });
  const weight = randomWeights();
  const file = openSync(path, 'w');
  try {
    writeSync(file, start);
    for (const [name, dimensions] of tensorsOf({ width, layers }, vocabulary)) {
      const isMatrix = !NAME.test(name);
      const own = isMatrix && name.includes('conv') ? 'f16' : isMatrix ? type : 'f32';
      const isNorm = !isMatrix && name.endsWith('weight');
      const values = Float32Array.from({ length: dimensions.reduce((a, b) => a * b) }, () =>
        isNorm ? 1 : weight(),
      );
      const header = Int32Array.of(
        dimensions.length,
        Buffer.byteLength(name),
        TENSOR_TYPE[own],
        ...dimensions,
      );
      for (const part of [new Uint8Array(header.buffer), Buffer.from(name), encode(values, own)])
        writeSync(file, part);
    }
  } finally {
    closeSync(file);
  }
};
