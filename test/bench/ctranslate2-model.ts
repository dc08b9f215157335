import { closeSync, mkdirSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const VALUES = 11;
const TYPES = { f32: 0, f16: 1, q8_0: 8 } as const;
const BLOCK = 32;
const BLOCK_BYTES = 2 + BLOCK;
/** Numbers that are converted at a time: a large model has matrices of hundreds of megabytes. */
const PART = 2 ** 21;
const READ_BYTES = 2 ** 16;
/** CTranslate2's names of element types are numbers. */
const FLOAT32 = 0;
const INT8 = 1;
const INT16 = 2;
const GELU = 3;
const BINARY_VERSION = 6;
const WHISPER_REVISION = 3;
const FIRST_LANGUAGE = 50_259;
/** Tokens in front of the languages and behind them. */
const BEFORE_LANGUAGES = ['<|endoftext|>', '<|startoftranscript|>'];
const BEHIND_LANGUAGES = [
  '<|translate|>',
  '<|transcribe|>',
  '<|startoflm|>',
  '<|startofprev|>',
  '<|nospeech|>',
  '<|notimestamps|>',
];
const TIMESTAMPS = 1501;

type Tensor = { readonly shape: readonly number[]; readonly type: number; readonly at: number };
type Model = {
  readonly file: number;
  readonly vocabulary: number;
  readonly heads: number;
  readonly layers: { readonly encoder: number; readonly decoder: number };
  readonly filters: Buffer;
  readonly tensors: ReadonlyMap<string, Tensor>;
};
type Variable = {
  readonly shape: readonly number[];
  readonly type: number;
  readonly size: number;
  /** Its bytes, a part at a time. */
  readonly parts: () => Iterable<Uint8Array>;
};

const bytesOf = (type: number, count: number): number => {
  if (type === TYPES.f32) return 4 * count;
  if (type === TYPES.f16) return 2 * count;
  if (type === TYPES.q8_0) return (count / BLOCK) * BLOCK_BYTES;
  throw new Error(`The bench converts no tensor of ggml's type ${type}.`);
};

const bytes = (values: Float32Array | Int8Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Reads a file forward, without holding it. */
class Reader {
  readonly file: number;
  at = 0;
  #start = 0;
  #buffer = Buffer.alloc(0);

  constructor(file: number) {
    this.file = file;
  }

  /** The next bytes, or fewer at the file's end. */
  take(length: number): Buffer {
    if (this.at < this.#start || this.at + length > this.#start + this.#buffer.length) {
      const fresh = Buffer.alloc(Math.max(length, READ_BYTES));
      this.#buffer = fresh.subarray(0, readSync(this.file, fresh, 0, fresh.length, this.at));
      this.#start = this.at;
    }
    const from = this.at - this.#start;
    this.at += length;
    return this.#buffer.subarray(from, from + length);
  }

  integer(): number {
    return this.take(4).readInt32LE();
  }
}

/** Reads a GGML file of Whisper with f32, f16 or q8_0 tensors, all but the tensors' values. */
const readModel = (file: number, length: number): Model => {
  const reader = new Reader(file);
  reader.take(4);
  const header = Array.from({ length: VALUES }, () => reader.integer());
  const filters = Buffer.from(reader.take(4 * reader.integer() * reader.integer()));
  for (let left = reader.integer(); left > 0; left--) reader.take(reader.integer());
  const tensors = new Map<string, Tensor>();
  while (reader.at < length) {
    const [dimensions, nameLength, type] = [reader.integer(), reader.integer(), reader.integer()];
    const shape = Array.from({ length: dimensions }, () => reader.integer()).reverse();
    const name = reader.take(nameLength).toString();
    tensors.set(name, { shape, type, at: reader.at });
    reader.at += bytesOf(type, sizeOf(shape));
  }
  const [vocabulary = 0, , , heads = 0, encoder = 0, , , , decoder = 0] = header;
  return { file, vocabulary, heads, layers: { encoder, decoder }, filters, tensors };
};

/** The numbers of a tensor from `first` on; `first` and `count` are of whole blocks. */
const numbersOf = (file: number, { type, at }: Tensor, first: number, count: number): Float32Array => {
  const own = new Uint8Array(bytesOf(type, count));
  const got = readSync(file, own, 0, own.length, at + bytesOf(type, first));
  if (got !== own.length) throw new Error('The model file ends within a tensor.');
  if (type === TYPES.f32) return new Float32Array(own.buffer);
  if (type === TYPES.f16) return Float32Array.from(new Float16Array(own.buffer));
  const values = new Float32Array(count);
  const view = new DataView(own.buffer);
  const whole = new Int8Array(own.buffer);
  for (let block = 0; block < count / BLOCK; block++) {
    const from = block * BLOCK_BYTES;
    const scale = view.getFloat16(from, true);
    for (let i = 0; i < BLOCK; i++) values[block * BLOCK + i] = scale * (whole[from + 2 + i] ?? 0);
  }
  return values;
};

/** 8-bit integers of whole rows, and what each row was multiplied by (`model_spec.py`, `_quantize`). */
const quantized = (values: Float32Array, width: number): { integers: Int8Array; scales: Float32Array } => {
  const integers = new Int8Array(values.length);
  const scales = new Float32Array(values.length / width);
  for (let row = 0; row < scales.length; row++) {
    const [start, end] = [row * width, (row + 1) * width];
    let largest = 0;
    for (let i = start; i < end; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0));
    const scale = largest === 0 ? 1 : 127 / largest;
    scales[row] = scale;
    for (let i = start; i < end; i++) integers[i] = Math.round((values[i] ?? 0) * scale);
  }
  return { integers, scales };
};

const number = (type: typeof INT8 | typeof INT16, value: number): Variable => {
  const own = new Uint8Array((type === INT8 ? Int8Array.of(value) : Int16Array.of(value)).buffer);
  return { shape: [], type, size: own.length, parts: () => [own] };
};

/** Adds variables that are made of GGML's tensors. */
class Variables {
  readonly all = new Map<string, Variable>();
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  #tensor(name: string): Tensor {
    const tensor = this.#model.tensors.get(name);
    if (!tensor) throw new Error(`The model has no tensor ${name}.`);
    return tensor;
  }

  *#numbers(name: string, width = 1): Generator<Float32Array> {
    const tensor = this.#tensor(name);
    const count = sizeOf(tensor.shape);
    const step = Math.max(1, Math.floor(PART / width)) * width;
    for (let at = 0; at < count; at += step)
      yield numbersOf(this.#model.file, tensor, at, Math.min(step, count - at));
  }

  number(name: string, type: typeof INT8 | typeof INT16, value: number): void {
    this.all.set(name, number(type, value));
  }

  floats(name: string, from: string, shape = this.#tensor(from).shape): void {
    const numbers = () => this.#numbers(from);
    this.all.set(name, {
      shape,
      type: FLOAT32,
      size: 4 * sizeOf(shape),
      *parts() {
        for (const part of numbers()) yield bytes(part);
      },
    });
  }

  norm(name: string, from: string): void {
    this.floats(`${name}/gamma`, `${from}.weight`);
    this.floats(`${name}/beta`, `${from}.bias`);
  }

  /** Matrices on top of each other, as 8-bit integers and a scale for each row. */
  weights(name: string, from: readonly string[]): { readonly rows: readonly number[] } {
    const shapes = from.map((part) => this.#tensor(part).shape);
    const [, width = 1] = shapes[0] ?? [];
    const rows = shapes.map(([count = 0]) => count);
    const count = rows.reduce((a, b) => a + b);
    const scales: Float32Array[] = [];
    const numbers = (part: string) => this.#numbers(part, width);
    this.all.set(`${name}/weight`, {
      shape: [count, width],
      type: INT8,
      size: count * width,
      *parts() {
        scales.length = 0;
        for (const part of from) {
          for (const values of numbers(part)) {
            const own = quantized(values, width);
            scales.push(own.scales);
            yield bytes(own.integers);
          }
        }
      },
    });
    // Written behind its weights, as their names follow each other.
    this.all.set(`${name}/weight_scale`, {
      shape: [count],
      type: FLOAT32,
      size: 4 * count,
      parts: () => scales.map(bytes),
    });
    return { rows };
  }

  /** Several products over the same input are one in CTranslate2. Keys have no bias. */
  linear(name: string, from: readonly string[]): void {
    const { rows } = this.weights(
      name,
      from.map((part) => `${part}.weight`),
    );
    const biases = () =>
      from.flatMap((part, i) =>
        this.#model.tensors.has(`${part}.bias`)
          ? [...this.#numbers(`${part}.bias`)]
          : [new Float32Array(rows[i] ?? 0)],
      );
    const count = rows.reduce((a, b) => a + b);
    this.all.set(`${name}/bias`, {
      shape: [count],
      type: FLOAT32,
      size: 4 * count,
      parts: () => biases().map(bytes),
    });
  }
}

const addLayer = (variables: Variables, side: 'encoder' | 'decoder', i: number): void => {
  const [to, from] = [`${side}/layer_${i}`, `${side}.blocks.${i}`];
  variables.linear(
    `${to}/self_attention/linear_0`,
    ['query', 'key', 'value'].map((part) => `${from}.attn.${part}`),
  );
  variables.linear(`${to}/self_attention/linear_1`, [`${from}.attn.out`]);
  variables.norm(`${to}/self_attention/layer_norm`, `${from}.attn_ln`);
  if (side === 'decoder') {
    const cross = `${from}.cross_attn`;
    variables.linear(`${to}/attention/linear_0`, [`${cross}.query`]);
    variables.linear(`${to}/attention/linear_1`, [`${cross}.key`, `${cross}.value`]);
    variables.linear(`${to}/attention/linear_2`, [`${cross}.out`]);
    variables.norm(`${to}/attention/layer_norm`, `${cross}_ln`);
  }
  variables.linear(`${to}/ffn/linear_0`, [`${from}.mlp.0`]);
  variables.linear(`${to}/ffn/linear_1`, [`${from}.mlp.2`]);
  variables.norm(`${to}/ffn/layer_norm`, `${from}.mlp_ln`);
};

/** CTranslate2's variables by name, made of GGML's tensors. */
const variablesOf = (model: Model): ReadonlyMap<string, Variable> => {
  const variables = new Variables(model);
  for (const side of ['encoder', 'decoder'] as const) {
    for (let i = 0; i < model.layers[side]; i++) addLayer(variables, side, i);
    variables.floats(`${side}/position_encodings/encodings`, `${side}.positional_embedding`);
    variables.number(`${side}/num_heads`, INT16, model.heads);
  }
  for (const part of ['conv1', 'conv2']) {
    variables.floats(`encoder/${part}/weight`, `encoder.${part}.weight`);
    const bias = model.tensors.get(`encoder.${part}.bias`)?.shape ?? [];
    variables.floats(`encoder/${part}/bias`, `encoder.${part}.bias`, [sizeOf(bias)]);
  }
  variables.norm('encoder/layer_norm', 'encoder.ln_post');
  variables.norm('decoder/layer_norm', 'decoder.ln');
  variables.weights('decoder/embeddings', ['decoder.token_embedding.weight']);
  for (const [name, value] of [
    ['activation', GELU],
    ['alibi', 0],
    ['alibi_use_positive_positions', 0],
    ['pre_norm', 1],
    ['scale_alibi', 0],
    ['scale_embeddings', 0],
    ['start_from_zero_embedding', 0],
  ] as const)
    variables.number(`decoder/${name}`, INT8, value);
  variables.number('decoder/alignment_heads', INT16, 1);
  variables.number('decoder/alignment_layer', INT16, -1);
  return variables.all;
};

const numbers = (...values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);

/** A length, the characters, and a zero that the length counts. */
const text = (value: string): Uint8Array => {
  const own = Buffer.from(`${value}\0`);
  return Buffer.concat([new Uint8Array(Uint16Array.of(own.length).buffer), own]);
};

/** `writeSync` may write less than it was given. */
const writeAll = (file: number, part: Uint8Array): void => {
  for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
};

const writeVariables = (path: string, variables: ReadonlyMap<string, Variable>): void => {
  const file = openSync(path, 'w');
  try {
    writeAll(file, numbers(BINARY_VERSION));
    writeAll(file, text('WhisperSpec'));
    writeAll(file, numbers(WHISPER_REVISION, variables.size));
    for (const [name, { shape, type, size, parts }] of [...variables].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const part of [text(name), Uint8Array.of(shape.length), numbers(...shape), Uint8Array.of(type)])
        writeAll(file, part);
      writeAll(file, numbers(size));
      for (const part of parts()) writeAll(file, part);
    }
    writeAll(file, numbers(1));
    for (const name of ['decoder/projection/weight', 'decoder/embeddings/weight']) writeAll(file, text(name));
  } finally {
    closeSync(file);
  }
};

const tokenNames = (count: number): string[] => {
  const languages = count - FIRST_LANGUAGE - BEHIND_LANGUAGES.length - TIMESTAMPS;
  const special = [
    ...BEFORE_LANGUAGES,
    ...Array.from({ length: languages }, (_, i) => `<|l${i}|>`),
    ...BEHIND_LANGUAGES,
    ...Array.from({ length: TIMESTAMPS }, (_, i) => `<|${(i * 0.02).toFixed(2)}|>`),
  ];
  return [...Array.from({ length: count - special.length }, (_, id) => `t${id}`), ...special];
};

/**
 * Writes a multilingual GGML model in CTranslate2's form (its specs, `model_spec.py`) with 8-bit weights, and the mel filters
 * beside it. Tokens have stand-ins for names: the bench reads none. Takes a few megabytes of memory, whatever the model's size.
 */
export const writeCtranslate2Model = (ggml: string, folder: string): void => {
  mkdirSync(folder, { recursive: true });
  const file = openSync(ggml, 'r');
  try {
    const model = readModel(file, statSync(ggml).size);
    writeVariables(join(folder, 'model.bin'), variablesOf(model));
    const names = tokenNames(model.vocabulary);
    const languages = names.flatMap((name, id) => (/^<\|l\d+\|>$/.test(name) ? [id] : []));
    const config = {
      alignment_heads: [[model.layers.decoder - 1, 0]],
      lang_ids: languages,
      suppress_ids: [],
      suppress_ids_begin: [220, 50_257],
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'vocabulary.json'), JSON.stringify(names));
    writeFileSync(join(folder, 'mel_filters.f32'), model.filters);
  } finally {
    closeSync(file);
  }
};
