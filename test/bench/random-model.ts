import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { STARTER_MODEL } from '../support/paths.ts';

/** A model's dimensions, as a file's header has them. */
export type Shape = {
  readonly width: number;
  readonly heads: number;
  readonly encoderLayers: number;
  readonly decoderLayers: number;
  readonly mels: number;
  readonly vocabulary: number;
};

const MULTILINGUAL = { mels: 80, vocabulary: 51_865 } as const;

/** OpenAI's models, and one smaller than any of them. */
export const SHAPES = {
  toy: { width: 128, heads: 2, encoderLayers: 2, decoderLayers: 2, ...MULTILINGUAL },
  base: { width: 512, heads: 8, encoderLayers: 6, decoderLayers: 6, ...MULTILINGUAL },
  small: { width: 768, heads: 12, encoderLayers: 12, decoderLayers: 12, ...MULTILINGUAL },
  'large-v3-turbo': {
    width: 1280,
    heads: 20,
    encoderLayers: 32,
    decoderLayers: 4,
    mels: 128,
    vocabulary: 51_866,
  },
} as const satisfies Record<string, Shape>;

const FTYPE = { f16: 1, q8_0: 7 } as const;
const TENSOR_TYPE = { f32: 0, f16: 1, q8_0: 8 } as const;
type TensorType = keyof typeof TENSOR_TYPE;
const HEADER_BYTES = 4 + 11 * 4;
const BINS = 201;
const BLOCK = 32;
const BLOCK_BYTES = 2 + BLOCK;
/** Blocks of random weights that a model repeats: a prime above the vocabularies, so that no two rows of a matrix are alike. */
const POOL_BLOCKS = 51_869;
const NAME = /\.bias$|_ln\.weight$|positional_embedding$|\bln(?:_post)?\.weight$/;

/** The vocabulary of a model file with its length before it, and the mel filters before that. */
const headOf = (file: Buffer): { readonly filters: Float32Array; readonly tokens: Buffer } => {
  const count = file.readInt32LE(HEADER_BYTES) * file.readInt32LE(HEADER_BYTES + 4);
  const filters = Float32Array.from({ length: count }, (_, i) => file.readFloatLE(HEADER_BYTES + 8 + 4 * i));
  const start = HEADER_BYTES + 8 + 4 * count;
  let end = start + 4;
  for (let left = file.readInt32LE(start); left > 0; left--) end += 4 + file.readInt32LE(end);
  return { filters, tokens: file.subarray(start, end) };
};

/** Filters for another number of mel bands: the nearest ones. Their sums are not those of a trained model. */
const filtersFor = (mels: number, filters: Float32Array): Float32Array => {
  const own = filters.length / BINS;
  return Float32Array.from({ length: mels * BINS }, (_, i) => {
    const band = Math.floor((Math.floor(i / BINS) * own) / mels);
    return filters[band * BINS + (i % BINS)] ?? 0;
  });
};

/** Names and dimensions of a model's tensors, the innermost dimension first. */
const tensorsOf = ({ width, encoderLayers, decoderLayers, mels, vocabulary }: Shape) => {
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
  const block = (name: string, attentions: readonly string[]): void => {
    for (const own of attentions) {
      attention(`${name}.${own}`);
      norm(`${name}.${own}_ln`);
    }
    linear(`${name}.mlp.0`, width, 4 * width);
    linear(`${name}.mlp.2`, 4 * width, width);
    norm(`${name}.mlp_ln`);
  };
  tensors.push(['encoder.positional_embedding', [width, 1500]]);
  tensors.push(['encoder.conv1.weight', [3, mels, width]], ['encoder.conv1.bias', [1, width]]);
  tensors.push(['encoder.conv2.weight', [3, width, width]], ['encoder.conv2.bias', [1, width]]);
  for (let layer = 0; layer < encoderLayers; layer++) block(`encoder.blocks.${layer}`, ['attn']);
  for (let layer = 0; layer < decoderLayers; layer++)
    block(`decoder.blocks.${layer}`, ['attn', 'cross_attn']);
  norm('encoder.ln_post');
  norm('decoder.ln');
  tensors.push(['decoder.positional_embedding', [width, 448]]);
  tensors.push(['decoder.token_embedding.weight', [width, vocabulary]]);
  return tensors;
};

/** Numbers of about N(0, 0.02) with a fixed seed: xorshift, and the sum of four uniform shares. */
const randomWeights = (): Float32Array => {
  let state = 7;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  };
  return Float32Array.from(
    { length: POOL_BLOCKS * BLOCK },
    () => (uniform() + uniform() + uniform() + uniform()) * 0.02 * Math.sqrt(3),
  );
};

/** ggml's q8_0: blocks of 32 numbers, a half-precision scale and 32 signed bytes each. */
const quantized = (values: Float32Array): Uint8Array => {
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

/** `writeSync` may write less than it was given. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
};

/** Writes any number of random weights of a type, from a pool that starts again at its end. */
const weightWriter = (file: number) => {
  const weights = randomWeights();
  const bytesOf = (values: ArrayBufferLike): Uint8Array => new Uint8Array(values);
  const pools: Readonly<Record<TensorType, Uint8Array>> = {
    f32: bytesOf(weights.buffer),
    f16: bytesOf(new Float16Array(weights).buffer),
    q8_0: quantized(weights),
  };
  const at: Record<TensorType, number> = { f32: 0, f16: 0, q8_0: 0 };
  return (type: TensorType, count: number): void => {
    const pool = pools[type];
    for (let left = (count * pool.length) / weights.length; left > 0; ) {
      const part = pool.subarray(at[type], at[type] + left);
      writeAll(file, part);
      left -= part.length;
      at[type] = (at[type] + part.length) % pool.length;
    }
  };
};

const floats = (values: Float32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
const integers = (...values: readonly number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);

/**
 * Writes a Whisper model of the given shape with random weights and the starter model's vocabulary. Its text is nonsense;
 * its speed is that of a trained model of the shape. Takes a few megabytes of memory, whatever the size of the model.
 */
export const writeRandomModel = (path: string, shape: Shape, type: keyof typeof FTYPE): void => {
  const starter = readFileSync(STARTER_MODEL);
  const { filters, tokens } = headOf(starter);
  const { width, heads, encoderLayers, decoderLayers, mels, vocabulary } = shape;
  const file = openSync(path, 'w');
  try {
    writeAll(file, starter.subarray(0, 4));
    const encoder = [1500, width, heads, encoderLayers];
    const decoder = [448, width, heads, decoderLayers];
    writeAll(file, integers(vocabulary, ...encoder, ...decoder, mels, FTYPE[type], mels, BINS));
    writeAll(file, floats(filtersFor(mels, filters)));
    writeAll(file, tokens);
    const writeWeights = weightWriter(file);
    for (const [name, dimensions] of tensorsOf(shape)) {
      const isMatrix = !NAME.test(name);
      const own = isMatrix && name.includes('conv') ? 'f16' : isMatrix ? type : 'f32';
      const count = dimensions.reduce((a, b) => a * b);
      writeAll(file, integers(dimensions.length, Buffer.byteLength(name), TENSOR_TYPE[own], ...dimensions));
      writeAll(file, Buffer.from(name));
      const isNorm = !isMatrix && name.endsWith('weight');
      if (isNorm) writeAll(file, floats(new Float32Array(count).fill(1)));
      else writeWeights(own, count);
    }
  } finally {
    closeSync(file);
  }
};
