import { cosine, meanDirection } from '../../base/vectors.ts';

/** Speech of one speaker. */
export type Voice = {
  readonly embedding: Float32Array;
  /** How long the speech lasts. */
  readonly seconds: number;
};

/**
 * A cluster with less than this share of all speech, bounded to these seconds, is a stray: a stretch of noise or
 * laughter, or too little speech to recognize a voice by.
 */
const STRAY_SHARE = 0.01;
const STRAY_SECONDS = { min: 2, max: 5 };

type Cluster = Voice & { readonly members: readonly number[] };

const merge = (a: Cluster, b: Cluster): Cluster => ({
  members: [...a.members, ...b.members],
  embedding: meanDirection([
    { vector: a.embedding, weight: a.seconds },
    { vector: b.embedding, weight: b.seconds },
  ]),
  seconds: a.seconds + b.seconds,
});

/** Agglomerative clustering by the cosine similarity of the clusters' mean embeddings, one merge at a time. */
class Agglomeration {
  readonly #clusters: Cluster[];
  /** `[i][j]` with j < i: of clusters i and j. */
  readonly #similarities: Float64Array[];

  constructor(voices: readonly Voice[]) {
    this.#clusters = voices.map((voice, index) => ({ ...voice, members: [index] }));
    this.#similarities = this.#clusters.map((a, i) =>
      Float64Array.from({ length: i }, (_, j) => cosine(a.embedding, voices[j]?.embedding ?? [])),
    );
  }

  get clusters(): readonly Cluster[] {
    return this.#clusters;
  }

  /** The two most similar clusters; undefined if fewer are left. */
  closest(): { i: number; j: number; similarity: number } | undefined {
    let best: { i: number; j: number; similarity: number } | undefined;
    for (const [i, row] of this.#similarities.entries()) {
      for (let j = 0; j < i; j++) {
        const similarity = row[j] ?? 0;
        if (best === undefined || similarity > best.similarity) best = { i, j, similarity };
      }
    }
    return best;
  }

  /** Puts the merged cluster in the place of the former, and the last cluster in that of the latter. */
  merge(i: number, j: number): void {
    const [a, b, last] = [this.#clusters[i], this.#clusters[j], this.#clusters.pop()];
    this.#similarities.pop();
    if (a === undefined || b === undefined || last === undefined) return;
    if (last !== a) this.#put(i, last);
    this.#put(j, merge(a, b));
  }

  #put(at: number, cluster: Cluster): void {
    this.#clusters[at] = cluster;
    for (const [other, { embedding }] of this.#clusters.entries()) {
      if (other === at) continue;
      const row = this.#similarities[Math.max(at, other)];
      if (row !== undefined) row[Math.min(at, other)] = cosine(cluster.embedding, embedding);
    }
  }
}

/** The clusters that are no strays: all, if none would be left. */
const substantial = (clusters: readonly Cluster[], limit: number): readonly Cluster[] => {
  const kept = clusters.filter(({ seconds }) => seconds >= limit);
  return kept.length > 0 ? kept : clusters;
};

/** Merges while clusters are as similar as this. */
const clustersByCosine = (voices: readonly Voice[], minCosine: number): readonly Cluster[] => {
  const agglomeration = new Agglomeration(voices);
  for (;;) {
    const pair = agglomeration.closest();
    if (pair === undefined || pair.similarity < minCosine) return agglomeration.clusters;
    agglomeration.merge(pair.i, pair.j);
  }
};

/** Merges as long as this many clusters are left that are no strays; as many of all, if there never are. */
const clustersByCount = (voices: readonly Voice[], speakers: number, limit: number): readonly Cluster[] => {
  const agglomeration = new Agglomeration(voices);
  let kept: readonly Cluster[] = agglomeration.clusters.slice();
  let isCounted = false;
  for (;;) {
    const { clusters } = agglomeration;
    const enough = clusters.filter(({ seconds }) => seconds >= limit).length >= speakers;
    if (enough || (!isCounted && clusters.length >= speakers)) kept = clusters.slice();
    isCounted ||= enough;
    const pair = agglomeration.closest();
    if (pair === undefined) return isCounted ? substantial(kept, limit) : kept;
    agglomeration.merge(pair.i, pair.j);
  }
};

export type ClusterOptions = {
  /** The number of speakers; null if unknown. */
  readonly speakers: number | null;
  /** Without a number, clusters are merged whose mean embeddings have at least this cosine similarity. */
  readonly minCosine: number;
};

/** The cluster of each voice, from 0. A stray goes to the cluster that is most similar to it. */
export const clusterVoices = (
  voices: readonly Voice[],
  { speakers, minCosine }: ClusterOptions,
): number[] => {
  const total = voices.reduce((sum, { seconds }) => sum + seconds, 0);
  const limit = Math.max(STRAY_SECONDS.min, Math.min(STRAY_SECONDS.max, total * STRAY_SHARE));
  const clusters =
    speakers === null
      ? substantial(clustersByCosine(voices, minCosine), limit)
      : clustersByCount(voices, speakers, limit);
  const labels = new Map(clusters.flatMap(({ members }, label) => members.map((member) => [member, label])));
  return voices.map(({ embedding }, index) => labels.get(index) ?? mostSimilar(embedding, clusters));
};

/** The index of the embedding that is most similar to this one. */
export const mostSimilar = (embedding: Float32Array, others: readonly Pick<Voice, 'embedding'>[]): number => {
  const similarities = others.map((other) => cosine(other.embedding, embedding));
  return similarities.indexOf(Math.max(...similarities));
};
