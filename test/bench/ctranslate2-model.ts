import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const VALUES = 11;
const TYPES = { f32: 0, f16: 1, q8_0: 8 } as const;
const BLOCK = 32;
const BLOCK_BYTES = 2 + BLOCK;
/** CTranslate2's names of element types are numbers. */
const FLOAT32 = 0;
const INT8 = 1;
const INT16 = 2;
const GELU = 3;
const BINARY_VERSION = 6;
const WHISPER_REVISION = 3;
const SPECIAL = new Map([
  [50257, '<|endoftext|>'],
  [50258, '<|startoftranscript|>'],
  [50358, '<|translate|>'],
  [50359, '<|transcribe|>'],
  [50360, '<|startoflm|>'],
  [50361, '<|startofprev|>'],
  [50362, '<|nospeech|>'],
  [50363, '<|notimestamps|>'],
]);
const FIRST_LANGUAGE = 50259;
const FIRST_TIMESTAMP = 50364;

type Tensor = { readonly shape: readonly number[]; readonly values: Float32Array };
type Model = {
  readonly vocabulary: number;
  readonly heads: number;
  readonly layers: { readonly encoder: number; readonly decoder: number };
  readonly filters: Buffer;
  readonly tensors: ReadonlyMap<string, Tensor>;
};
type Variable = { readonly shape: readonly number[]; readonly type: number; readonly bytes: Uint8Array };

const floatsOf = (bytes: Buffer, type: number, count: number): Float32Array => {
  const own = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  if (type === TYPES.f32) return new Float32Array(own);
  if (type === TYPES.f16) return Float32Array.from(new Float16Array(own));
  const values = new Float32Array(count);
  const view = new DataView(own);
  for (let i = 0; i < count; i++) {
    const block = Math.floor(i / BLOCK) * BLOCK_BYTES;
    values[i] = view.getFloat16(block, true) * view.getInt8(block + 2 + (i % BLOCK));
  }
  return values;
};

const bytesOf = (type: number, count: number): number => {
  if (type === TYPES.f32) return 4 * count;
  if (type === TYPES.f16) return 2 * count;
  if (type === TYPES.q8_0) return (count / BLOCK) * BLOCK_BYTES;
  throw new Error(`The bench converts no tensor of ggml's type ${type}.`);
};

/** Reads a GGML file of Whisper with f32, f16 or q8_0 tensors. */
const readModel = (path: string): Model => {
  const file = readFileSync(path);
  let at = 4;
  const next = (): number => {
    at += 4;
    return file.readInt32LE(at - 4);
  };
  const header = Array.from({ length: VALUES }, next);
  const filterBytes = 4 * next() * next();
  const filters = file.subarray(at, at + filterBytes);
  at += filterBytes;
  const tokens = next();
  for (let i = 0; i < tokens; i++) {
    const length = next();
    at += length;
  }
  const tensors = new Map<string, Tensor>();
  while (at < file.length) {
    const [dimensions, nameLength, type] = [next(), next(), next()];
    const shape = Array.from({ length: dimensions }, next).reverse();
    const name = file.toString('utf8', at, at + nameLength);
    at += nameLength;
    const count = shape.reduce((a, b) => a * b);
    const size = bytesOf(type, count);
    tensors.set(name, { shape, values: floatsOf(file.subarray(at, at + size), type, count) });
    at += size;
  }
  const [vocabulary = 0, , , heads = 0, encoder = 0, , , , decoder = 0] = header;
  return { vocabulary, heads, layers: { encoder, decoder }, filters, tensors };
};

const number = (type: typeof INT8 | typeof INT16, value: number): Variable => ({
  shape: [],
  type,
  bytes: new Uint8Array((type === INT8 ? Int8Array.of(value) : Int16Array.of(value)).buffer),
});

const joined = (parts: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** CTranslate2's variables by name, made of GGML's tensors. */
const variablesOf = ({ heads, layers, tensors }: Model): Map<string, Variable> => {
  const variables = new Map<string, Variable>();
  const of = (name: string): Tensor => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`The model has no tensor ${name}.`);
    return tensor;
  };
  const floats = (name: string, shape: readonly number[], values: Float32Array): void => {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    variables.set(name, { shape, type: FLOAT32, bytes });
  };
  const norm = (name: string, from: string): void => {
    for (const [part, own] of [
      ['gamma', 'weight'],
      ['beta', 'bias'],
    ] as const) {
      const { shape, values } = of(`${from}.${own}`);
      floats(`${name}/${part}`, shape, values);
    }
  };
  /** Several products over the same input are one in CTranslate2. */
  const linear = (name: string, from: readonly string[]): void => {
    const weights = from.map((part) => of(`${part}.weight`));
    const width = weights[0]?.shape[1] ?? 0;
    const rows = weights.map(({ shape }) => shape[0] ?? 0);
    const biases = from.map(
      (part, i) => tensors.get(`${part}.bias`)?.values ?? new Float32Array(rows[i] ?? 0),
    );
    const all = rows.reduce((a, b) => a + b);
    floats(`${name}/weight`, [all, width], joined(weights.map(({ values }) => values)));
    floats(`${name}/bias`, [all], joined(biases));
  };
  const layer = (side: 'encoder' | 'decoder', i: number): void => {
    const [to, from] = [`${side}/layer_${i}`, `${side}.blocks.${i}`];
    linear(
      `${to}/self_attention/linear_0`,
      ['query', 'key', 'value'].map((part) => `${from}.attn.${part}`),
    );
    linear(`${to}/self_attention/linear_1`, [`${from}.attn.out`]);
    norm(`${to}/self_attention/layer_norm`, `${from}.attn_ln`);
    if (side === 'decoder') {
      const cross = `${from}.cross_attn`;
      linear(`${to}/attention/linear_0`, [`${cross}.query`]);
      linear(`${to}/attention/linear_1`, [`${cross}.key`, `${cross}.value`]);
      linear(`${to}/attention/linear_2`, [`${cross}.out`]);
      norm(`${to}/attention/layer_norm`, `${cross}_ln`);
    }
    linear(`${to}/ffn/linear_0`, [`${from}.mlp.0`]);
    linear(`${to}/ffn/linear_1`, [`${from}.mlp.2`]);
    norm(`${to}/ffn/layer_norm`, `${from}.mlp_ln`);
  };
  for (const side of ['encoder', 'decoder'] as const) {
    for (let i = 0; i < layers[side]; i++) layer(side, i);
    const positions = of(`${side}.positional_embedding`);
    floats(`${side}/position_encodings/encodings`, positions.shape, positions.values);
    variables.set(`${side}/num_heads`, number(INT16, heads));
  }
  for (const part of ['conv1', 'conv2']) {
    const weight = of(`encoder.${part}.weight`);
    floats(`encoder/${part}/weight`, weight.shape, weight.values);
    const bias = of(`encoder.${part}.bias`).values;
    floats(`encoder/${part}/bias`, [bias.length], bias);
  }
  norm('encoder/layer_norm', 'encoder.ln_post');
  norm('decoder/layer_norm', 'decoder.ln');
  const embedding = of('decoder.token_embedding.weight');
  floats('decoder/embeddings/weight', embedding.shape, embedding.values);
  for (const [name, value] of [
    ['activation', GELU],
    ['alibi', 0],
    ['alibi_use_positive_positions', 0],
    ['pre_norm', 1],
    ['scale_alibi', 0],
    ['scale_embeddings', 0],
    ['start_from_zero_embedding', 0],
  ] as const)
    variables.set(`decoder/${name}`, number(INT8, value));
  variables.set('decoder/alignment_heads', number(INT16, 1));
  variables.set('decoder/alignment_layer', number(INT16, -1));
  return variables;
};

const numbers = (...values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);

/** A length, the characters, and a zero that the length counts. */
const text = (value: string): Uint8Array => {
  const bytes = Buffer.from(`${value}\0`);
  return Buffer.concat([new Uint8Array(Uint16Array.of(bytes.length).buffer), bytes]);
};

const writeVariables = (path: string, variables: ReadonlyMap<string, Variable>): void => {
  const file = openSync(path, 'w');
  try {
    writeSync(file, numbers(BINARY_VERSION));
    writeSync(file, text('WhisperSpec'));
    writeSync(file, numbers(WHISPER_REVISION, variables.size));
    for (const [name, { shape, type, bytes }] of [...variables].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const part of [text(name), Uint8Array.of(shape.length), numbers(...shape), Uint8Array.of(type)])
        writeSync(file, part);
      writeSync(file, numbers(bytes.length));
      writeSync(file, bytes);
    }
    writeSync(file, numbers(1));
    for (const name of ['decoder/projection/weight', 'decoder/embeddings/weight'])
      writeSync(file, text(name));
  } finally {
    closeSync(file);
  }
};

const tokenNames = (count: number): string[] =>
  Array.from({ length: count }, (_, id) => {
    if (id >= FIRST_TIMESTAMP) return `<|${((id - FIRST_TIMESTAMP) * 0.02).toFixed(2)}|>`;
    if (id >= FIRST_LANGUAGE && id < 50358) return `<|l${id - FIRST_LANGUAGE}|>`;
    return SPECIAL.get(id) ?? `t${id}`;
  });

/**
 * Writes a multilingual GGML model in CTranslate2's form (its specs, `model_spec.py`), with the mel filters beside it. Tokens
 * have stand-ins for names: the bench reads none.
 */
export const writeCtranslate2Model = (ggml: string, folder: string): void => {
  mkdirSync(folder, { recursive: true });
  const model = readModel(ggml);
  writeVariables(join(folder, 'model.bin'), variablesOf(model));
  const config = {
    alignment_heads: [[model.layers.decoder - 1, 0]],
    lang_ids: Array.from({ length: 50358 - FIRST_LANGUAGE }, (_, i) => FIRST_LANGUAGE + i),
    suppress_ids: [],
    suppress_ids_begin: [220, 50257],
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'vocabulary.json'), JSON.stringify(tokenNames(model.vocabulary)));
  writeFileSync(join(folder, 'mel_filters.f32'), model.filters);
};
