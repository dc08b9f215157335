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
