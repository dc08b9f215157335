import { readFileSync } from 'node:fs';
import { STARTER_PARAKEET } from './paths.ts';

/** The vocabulary by which a file counts as one of the models for 25 languages. */
const VOCABULARY = 8192;
const BYTES_PER_NUMBER: Readonly<Record<number, number>> = { 0: 4, 1: 2 };
/** As good as never. */
const UNLIKELY = -1e9;

/** `rows` of zeros put in before row `before`. */
const insertRows = (data: Buffer, rowBytes: number, before: number, rows: number): Buffer =>
  Buffer.concat([
    data.subarray(0, before * rowBytes),
    Buffer.alloc(rows * rowBytes),
    data.subarray(before * rowBytes),
  ]);

/**
 * `starter-parakeet` with tokens that it never writes, as many as the models for 25 languages have: a model that is given
 * any of these languages, and writes English.
 */
export const multilingualParakeet = (): Buffer => {
  const source = readFileSync(STARTER_PARAKEET);
  const parts: Buffer[] = [];
  let at = 0;
  const int = (): number => {
    at += 4;
    return source.readInt32LE(at - 4);
  };
  const ints = (...values: number[]) => parts.push(Buffer.from(Int32Array.from(values).buffer));
  const copy = (length: number): void => {
    parts.push(source.subarray(at, at + length));
    at += length;
  };
  const header = Array.from({ length: 16 }, int);
  const [magic = 0, known = 0, ...others] = header;
  const added = VOCABULARY - known;
  ints(magic, VOCABULARY, ...others);
  const durations = header[14] ?? 0;
  const filters = [int(), int()];
  ints(...filters);
  copy(4 * (filters[0] ?? 0) * (filters[1] ?? 0));
  const window = int();
  ints(window);
  copy(4 * window + 4 * durations);
  at += 4;
  ints(VOCABULARY);
  for (let token = 0; token < known; token += 1) copy(4 + source.readInt32LE(at));
  for (let token = 0; token < added; token += 1) {
    const word = Buffer.from(`▁${token}`);
    ints(word.length);
    parts.push(word);
  }
  while (at < source.length) {
    const [count, nameLength, type] = [int(), int(), int()];
    const shape = Array.from({ length: count }, int);
    const name = source.toString('utf8', at, at + nameLength);
    at += nameLength;
    const size = shape.reduce((product, length) => product * length, 1) * (BYTES_PER_NUMBER[type] ?? 0);
    const data = source.subarray(at, at + size);
    at += size;
    const isEmbedding = name === 'decoder.prediction.embed.weight';
    const isBias = name === 'joint.joint_net.2.bias';
    const isExtended = isEmbedding || isBias || name === 'joint.joint_net.2.weight';
    const rows = shape.at(-1) ?? 1;
    ints(count, nameLength, type, ...(isExtended ? shape.with(-1, rows + added) : shape));
    const extended = isExtended ? insertRows(data, size / rows, known, added) : data;
    if (isBias)
      for (let token = 0; token < added; token += 1) extended.writeFloatLE(UNLIKELY, 4 * (known + token));
    parts.push(Buffer.from(name), extended);
  }
  return Buffer.concat(parts);
};
