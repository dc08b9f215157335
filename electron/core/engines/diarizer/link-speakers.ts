/** A voice of one block of audio. */
export type BlockVoice = { readonly block: number; readonly embedding: Float32Array };

const cosineDistance = (a: Float32Array, b: Float32Array): number => {
  let [dot, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  return 1 - dot / Math.sqrt(left * right || 1);
};

/**
 * Finds the same voices in different blocks: agglomerative clustering with average linkage over cosine
 * distance, two voices of one block never joined. Ends at `speakers` clusters where that is given, else at
 * `threshold`. Answers each voice's cluster.
 */
export const linkSpeakers = (
  voices: readonly BlockVoice[],
  speakers: number | null,
  threshold: number,
): number[] => {
  const clusters = voices.map((_, index) => [index]);
  const distance = (a: readonly number[], b: readonly number[]): number => {
    let sum = 0;
    for (const i of a) {
      for (const j of b) {
        const [left, right] = [voices[i], voices[j]];
        if (left === undefined || right === undefined || left.block === right.block) return Infinity;
        sum += cosineDistance(left.embedding, right.embedding);
      }
    }
    return sum / (a.length * b.length);
  };
  for (;;) {
    let best = { at: Infinity, i: -1, j: -1 };
    for (let i = 0; i < clusters.length; i++) {
      for (let j = i + 1; j < clusters.length; j++) {
        const at = distance(clusters[i] ?? [], clusters[j] ?? []);
        if (at < best.at) best = { at, i, j };
      }
    }
    const enough = speakers === null ? best.at > threshold : clusters.length <= speakers;
    if (enough || best.at === Infinity) break;
    const joined = [...(clusters[best.i] ?? []), ...(clusters[best.j] ?? [])];
    clusters.splice(best.j, 1);
    clusters[best.i] = joined;
  }
  const labels = voices.map(() => 0);
  clusters.forEach((members, label) => {
    for (const member of members) labels[member] = label;
  });
  return labels;
};
