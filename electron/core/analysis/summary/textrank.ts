const DAMPING = 0.85;
const ITERATIONS = 25;
/** Stems in more sentences than this do not tell which belong together; skipping them bounds the work. */
const MAX_SENTENCES_PER_STEM = 150;

/** A sparse symmetric graph: for each row its neighbors and their weights. */
export type Graph = {
  neighbors: Int32Array[];
  weights: Float64Array[];
};

/** The tf-idf weights of a sentence's stems, normalized to length 1. */
export type Vector = ReadonlyMap<string, number>;

export const toVectors = (sentences: readonly (readonly string[])[]): Vector[] => {
  const frequency = new Map<string, number>();
  for (const stems of sentences)
    for (const stem of new Set(stems)) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  return sentences.map((stems) => {
    const counts = new Map<string, number>();
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    const vector = new Map<string, number>();
    for (const [stem, count] of counts) {
      vector.set(stem, (1 + Math.log(count)) * Math.log(1 + sentences.length / (frequency.get(stem) ?? 1)));
    }
    const norm = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0)) || 1;
    for (const [stem, weight] of vector) vector.set(stem, weight / norm);
    return vector;
  });
};

export const dotProduct = (a: Vector, b: Vector): number => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [stem, weight] of small) sum += weight * (large.get(stem) ?? 0);
  return sum;
};

/** The similarity graph of sentences that share a stem, by an inverted index. */
export const similarityGraph = (vectors: readonly Vector[]): Graph => {
  const index = new Map<string, number[]>();
  for (const [row, vector] of vectors.entries()) {
    for (const stem of vector.keys()) {
      const rows = index.get(stem) ?? [];
      rows.push(row);
      index.set(stem, rows);
    }
  }
  const graph: Graph = { neighbors: [], weights: [] };
  for (const [row, vector] of vectors.entries()) {
    const sums = new Map<number, number>();
    for (const [stem, weight] of vector) {
      const rows = index.get(stem) ?? [];
      if (rows.length > MAX_SENTENCES_PER_STEM) continue;
      for (const other of rows) {
        if (other !== row)
          sums.set(other, (sums.get(other) ?? 0) + weight * (vectors[other]?.get(stem) ?? 0));
      }
    }
    graph.neighbors.push(Int32Array.from(sums.keys()));
    graph.weights.push(Float64Array.from(sums.values()));
  }
  return graph;
};

/**
 * TextRank (Mihalcea & Tarau 2004): PageRank over a graph of sentences, with edges weighted by the cosine of tf-idf
 * vectors as in LexRank (Erkan & Radev 2004). Scores are scaled to a maximum of 1.
 */
export const textRank = (graph: Graph): Float64Array => {
  const count = graph.neighbors.length;
  const totals = Float64Array.from(graph.weights, (weights) =>
    weights.reduce((sum, weight) => sum + weight, 0),
  );
  let ranks = new Float64Array(count).fill(1);
  for (let round = 0; round < ITERATIONS; round++) {
    const next = new Float64Array(count).fill(1 - DAMPING);
    for (let row = 0; row < count; row++) {
      distributeRank(graph, row, ranks[row] ?? 0, totals[row] ?? 0, next);
    }
    ranks = next;
  }
  const best = ranks.reduce((most, rank) => Math.max(most, rank), 0) || 1;
  return ranks.map((rank) => rank / best);
};

const distributeRank = (graph: Graph, row: number, rank: number, total: number, next: Float64Array): void => {
  const neighbors = graph.neighbors[row];
  const weights = graph.weights[row];
  if (!neighbors || !weights || total === 0) return;
  for (let at = 0; at < neighbors.length; at++) {
    const other = neighbors[at] ?? 0;
    next[other] = (next[other] ?? 0) + (DAMPING * rank * (weights[at] ?? 0)) / total;
  }
};
