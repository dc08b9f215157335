/** Cosine similarity of two vectors of the same length, -1 to 1; 0 if one is zero. */
export const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [dot, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  return dot / Math.sqrt(left * right || 1);
};

/** The weighted mean of vectors normalized to length 1, itself normalized. */
export const meanDirection = (
  vectors: readonly { readonly vector: ArrayLike<number>; readonly weight: number }[],
): Float32Array => {
  const sum = new Float64Array(vectors[0]?.vector.length ?? 0);
  for (const { vector, weight } of vectors) {
    const length = Math.hypot(...Array.from(vector)) || 1;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + ((vector[i] ?? 0) * weight) / length;
  }
  const length = Math.hypot(...sum) || 1;
  return Float32Array.from(sum, (value) => value / length);
};

/** Rounds seconds to milliseconds. */
export const roundMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

export const round = (value: number, decimals: number): number => {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
};

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** 1536 → "1.5 KB": steps of 1024, at most two decimals. */
export const formatBytes = (bytes: number): string => {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${round(bytes / 1024 ** step, 2)} ${UNITS[step]}`;
};

/** "1 file", "2 files"; `many` if the plural is not made with an s. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
