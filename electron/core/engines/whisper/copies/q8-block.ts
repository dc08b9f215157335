/** Numbers of a block of ggml's type q8_0, which share a scale. */
export const BLOCK = 32;
/** A half-precision scale, and a signed byte for each number. */
export const BLOCK_BYTES = 2 + BLOCK;
const MAX_QUANT = 127;
const HALF_COUNT = 0x10000;

/** The value of each half-precision number, by its bits. */
export const halfValues = (): Float32Array =>
  Float32Array.from(new Float16Array(Uint16Array.from({ length: HALF_COUNT }, (_, bits) => bits).buffer));

const half = new Float16Array(1);
const halfBits = new Uint16Array(half.buffer);

/** The bits of a number in half precision, rounded to nearest, ties to even. */
const toHalf = (value: number): number => {
  half[0] = value;
  return halfBits[0] ?? 0;
};

/** The nearest integer, ties away from zero: C's `roundf`. */
const roundAway = (value: number): number => (value < 0 ? -Math.floor(0.5 - value) : Math.floor(value + 0.5));

/**
 * Writes whole blocks as ggml's `quantize_row_q8_0_ref` does, bit for bit, which computes in single precision. Returns false if
 * a number is not finite: ggml would write a block of noise.
 */
export const writeBlocks = (values: Float32Array, target: Uint8Array): boolean => {
  const quants = new Int8Array(target.buffer, target.byteOffset, target.byteLength);
  for (let from = 0, at = 0; from < values.length; from += BLOCK, at += BLOCK_BYTES) {
    let largest = 0;
    for (let i = from; i < from + BLOCK; i++) {
      const magnitude = Math.abs(values[i] ?? 0);
      if (!(magnitude < Infinity)) return false;
      if (magnitude > largest) largest = magnitude;
    }
    const scale = Math.fround(largest / MAX_QUANT);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    const bits = toHalf(scale);
    target[at] = bits & 0xff;
    target[at + 1] = bits >> 8;
    for (let i = 0; i < BLOCK; i++) {
      quants[at + 2 + i] = roundAway(Math.fround((values[from + i] ?? 0) * inverse));
    }
  }
  return true;
};
