import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { TaskError } from '../../worker/protocol.ts';
import { BLOCK, BLOCK_BYTES, halfValues, writeBlocks } from './q8-block.ts';
import type { Quantized } from './tasks.ts';

const MARK = 0x67676d6c;
const HEADER_BYTES = 48;
/** The last number of the header: the type of the matrices. */
const FILE_TYPE_AT = 44;
/** ggml's numbers of file types, whose thousands are the version of the quantized formats. */
const FILE_TYPES = { allF32: 0, mostlyF16: 1, mostlyQ8: 2007 } as const;
/** ggml's numbers of tensor types. */
const TENSOR_TYPES = { f32: 0, f16: 1, q8: 8 } as const;
/** Whisper's own program skips these; they are matrices, but added instead of multiplied. */
const KEPT_MATRICES: ReadonlySet<string> = new Set([
  'encoder.conv1.bias',
  'encoder.conv2.bias',
  'encoder.positional_embedding',
  'decoder.positional_embedding',
]);
const MAX_DIMENSIONS = 4;
const MAX_NAME_BYTES = 1024;
const MAX_WORD_BYTES = 1024;
/** Read, converted and written at once; whole blocks of each type. */
const STEP_NUMBERS = 256 * 1024;

const invalid = (what: string): TaskError =>
  new TaskError('model_invalid', `The model cannot be quantized: ${what}.`);

/** Reads a file from its beginning to its end, hashing it. */
class Source {
  readonly hash: Hash = createHash('sha256');
  readonly #file: number;
  readonly #buffer = Buffer.alloc(4 * STEP_NUMBERS);

  constructor(file: number) {
    this.#file = file;
  }

  /** At most as many bytes as are left; valid until the next call. */
  #read(bytes: number): Buffer {
    let filled = 0;
    while (filled < bytes) {
      const count = readSync(this.#file, this.#buffer, filled, bytes - filled, null);
      if (count === 0) break;
      filled += count;
    }
    const read = this.#buffer.subarray(0, filled);
    this.hash.update(read);
    return read;
  }

  /** The next bytes; valid until the next call. Throws at the end of the file. */
  take(bytes: number): Buffer {
    const read = this.#read(bytes);
    if (read.length < bytes) throw invalid('its file is cut off');
    return read;
  }

  /** As `take`, or undefined at the end of the file. */
  takeUnlessEnd(bytes: number): Buffer | undefined {
    const read = this.#read(bytes);
    if (read.length === 0) return undefined;
    if (read.length < bytes) throw invalid('its file is cut off');
    return read;
  }
}

/** Writes a file from its beginning, hashing it. */
class Target {
  readonly hash: Hash = createHash('sha256');
  bytes = 0;
  readonly #file: number;

  constructor(file: number) {
    this.#file = file;
  }

  write(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#file, bytes, written, bytes.length - written);
    }
    this.hash.update(bytes);
    this.bytes += bytes.length;
  }
}

type Copying = { readonly source: Source; readonly target: Target };

const copy = ({ source, target }: Copying, bytes: number): void => {
  for (let left = bytes; left > 0; ) {
    const step = Math.min(left, 4 * STEP_NUMBERS);
    target.write(source.take(step));
    left -= step;
  }
};

const copyInt = ({ source, target }: Copying): number => {
  const bytes = source.take(4);
  const value = bytes.readInt32LE();
  target.write(bytes);
  return value;
};

const copyHeader = ({ source, target }: Copying): void => {
  const header = source.take(HEADER_BYTES);
  if (header.readUInt32LE() !== MARK) throw invalid('it is no file of a model');
  const type = header.readInt32LE(FILE_TYPE_AT);
  if (type !== FILE_TYPES.allF32 && type !== FILE_TYPES.mostlyF16) throw invalid('it is quantized already');
  header.writeInt32LE(FILE_TYPES.mostlyQ8, FILE_TYPE_AT);
  target.write(header);
};

const copyFilters = (files: Copying): void => {
  const bytes = 4 * copyInt(files) * copyInt(files);
  if (!(bytes >= 0 && bytes <= 2 ** 24)) throw invalid('its mel filters have an absurd size');
  copy(files, bytes);
};

const copyVocabulary = (files: Copying): void => {
  const count = copyInt(files);
  for (let i = 0; i < count; i++) {
    const length = copyInt(files);
    if (length < 0 || length > MAX_WORD_BYTES) throw invalid('a word of its vocabulary is too long');
    copy(files, length);
  }
};

type Tensor = {
  readonly name: string;
  readonly type: number;
  /** The innermost first. */
  readonly dimensions: readonly number[];
  readonly numbers: number;
};

/** Undefined at the end of the file. */
const readTensor = (source: Source): Tensor | undefined => {
  const start = source.takeUnlessEnd(12);
  if (start === undefined) return undefined;
  const [rank, nameBytes, type] = [start.readInt32LE(), start.readInt32LE(4), start.readInt32LE(8)];
  if (rank < 1 || rank > MAX_DIMENSIONS || nameBytes < 1 || nameBytes > MAX_NAME_BYTES) {
    throw invalid('a tensor has an absurd header');
  }
  if (type !== TENSOR_TYPES.f32 && type !== TENSOR_TYPES.f16) throw invalid('a tensor is quantized already');
  const sizes = source.take(4 * rank);
  const dimensions = Array.from({ length: rank }, (_, i) => sizes.readInt32LE(4 * i));
  const numbers = dimensions.reduce((product, size) => product * size, 1);
  if (dimensions.some((size) => size < 1) || numbers > 2 ** 31) throw invalid('a tensor has an absurd size');
  return { name: source.take(nameBytes).toString('latin1'), type, dimensions, numbers };
};

const writeTensorHeader = (target: Target, { name, dimensions }: Tensor, type: number): void => {
  const values = [dimensions.length, name.length, type, ...dimensions];
  const header = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) header.writeInt32LE(value, 4 * i);
  target.write(header);
  target.write(Buffer.from(name, 'latin1'));
};

/** The numbers in bytes of a file, wherever these lie in memory. */
class Numbers {
  readonly #halfValues = halfValues();
  readonly #singles = new Float32Array(STEP_NUMBERS);
  readonly #halves = new Uint16Array(STEP_NUMBERS);

  /** Valid until the next call. */
  read(bytes: Buffer, type: number): Float32Array {
    if (type === TENSOR_TYPES.f32) {
      new Uint8Array(this.#singles.buffer).set(bytes);
      return this.#singles.subarray(0, bytes.length / 4);
    }
    new Uint8Array(this.#halves.buffer).set(bytes);
    const count = bytes.length / 2;
    for (let i = 0; i < count; i++) this.#singles[i] = this.#halfValues[this.#halves[i] ?? 0] ?? 0;
    return this.#singles.subarray(0, count);
  }
}

const quantizeTensor = ({ source, target }: Copying, tensor: Tensor, numbers: Numbers): void => {
  const { name, type, dimensions } = tensor;
  if ((dimensions[0] ?? 0) % BLOCK !== 0) throw invalid(`the rows of ${name} are no multiples of ${BLOCK}`);
  writeTensorHeader(target, tensor, TENSOR_TYPES.q8);
  const width = type === TENSOR_TYPES.f16 ? 2 : 4;
  const blocks = Buffer.alloc((STEP_NUMBERS / BLOCK) * BLOCK_BYTES);
  for (let left = tensor.numbers; left > 0; ) {
    const count = Math.min(left, STEP_NUMBERS);
    const written = blocks.subarray(0, (count / BLOCK) * BLOCK_BYTES);
    if (!writeBlocks(numbers.read(source.take(width * count), type), written)) {
      throw invalid(`${name} holds a number that is not finite`);
    }
    target.write(written);
    left -= count;
  }
};

const copyTensors = (files: Copying): void => {
  const numbers = new Numbers();
  for (;;) {
    const tensor = readTensor(files.source);
    if (tensor === undefined) return;
    if (tensor.dimensions.length === 2 && !KEPT_MATRICES.has(tensor.name)) {
      quantizeTensor(files, tensor, numbers);
    } else {
      writeTensorHeader(files.target, tensor, tensor.type);
      copy(files, (tensor.type === TENSOR_TYPES.f16 ? 2 : 4) * tensor.numbers);
    }
  }
};

/**
 * Writes a Whisper model in f16 or f32 with its matrices in q8_0, the bytes that whisper.cpp's `quantize` writes; flushed to the
 * disk. Reads and writes a step at a time, synchronously: call it in a process of its own, which may be killed. Throws
 * `model_invalid`; what was written until then stays.
 */
export const quantizeModel = (sourcePath: string, targetPath: string): Quantized => {
  const read = openSync(sourcePath, 'r');
  const written = openSync(targetPath, 'w');
  try {
    const files = { source: new Source(read), target: new Target(written) };
    copyHeader(files);
    copyFilters(files);
    copyVocabulary(files);
    copyTensors(files);
    fsyncSync(written);
    return {
      sourceSha256: files.source.hash.digest('hex'),
      sha256: files.target.hash.digest('hex'),
      bytes: files.target.bytes,
    };
  } finally {
    closeSync(read);
    closeSync(written);
  }
};
