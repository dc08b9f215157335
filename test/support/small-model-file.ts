import { writeFileSync } from 'node:fs';

export type SmallTensor = {
  readonly name: string;
  /** The innermost first. */
  readonly dimensions: readonly number[];
  /** Halves as their bits. */
  readonly values: Float32Array | Uint16Array;
};

const int = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

const tensorBytes = ({ name, dimensions, values }: SmallTensor): Buffer =>
  Buffer.concat([
    int(dimensions.length, name.length, values instanceof Uint16Array ? 1 : 0, ...dimensions),
    Buffer.from(name),
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
  ]);

/** Writes a file in the form of a Whisper model with these tensors alone, which no engine loads. */
export const writeSmallModel = (path: string, tensors: readonly SmallTensor[], fileType = 1): void => {
  const header = int(0x67676d6c, 51_864, 1500, 64, 1, 1, 448, 64, 1, 1, 80, fileType);
  const filters = Buffer.concat([int(2, 3), Buffer.from(Float32Array.of(1, 2, 3, 4, 5, 6).buffer)]);
  const vocabulary = Buffer.concat([int(2), int(1), Buffer.from(' '), int(0)]);
  writeFileSync(path, Buffer.concat([header, filters, vocabulary, ...tensors.map(tensorBytes)]));
};
