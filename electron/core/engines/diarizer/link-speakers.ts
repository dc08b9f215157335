import { cosine, meanDirection } from '../../base/vectors.ts';

/** A speaker of one block of audio. */
export type BlockSpeaker = {
  readonly block: number;
  readonly embedding: Float32Array;
  /** How long the speaker talks in the block. */
  readonly seconds: number;
};

/**
 * A cluster with less than this share of all speech, bounded to these seconds, is a stray: a stretch of noise or
 * laughter, or too little speech to recognize a voice by.
 */
const STRAY_SHARE = 0.01;
const STRAY_SECONDS = { min: 1, max: 5 };

type Cluster = { members: number[]; embedding: Float32Array; seconds: number };

const merge = (a: Cluster, b: Cluster): Cluster => ({
  members: [...a.members, ...b.members],
  embedding: meanDirection([
    { vector: a.embedding, weight: a.seconds },
    { vector: b.embedding, weight: b.seconds },
  ]),
  seconds: a.seconds + b.seconds,
});

const mostSimilarPair = (clusters: readonly Cluster[]): { i: number; j: number; similarity: number } => {
  let best = { i: -1, j: -1, similarity: -Infinity };
  for (const [i, a] of clusters.entries()) {
    for (const [j, b] of clusters.entries()) {
      if (j <= i) continue;
      const similarity = cosine(a.embedding, b.embedding);
      if (similarity > best.similarity) best = { i, j, similarity };
    }
  }
  return best;
};

/** Adds the members of each stray to the most similar of the other clusters. */
const absorbStrays = (clusters: readonly Cluster[]): Cluster[] => {
  const total = clusters.reduce((sum, cluster) => sum + cluster.seconds, 0);
  const limit = Math.max(STRAY_SECONDS.min, Math.min(STRAY_SECONDS.max, total * STRAY_SHARE));
  const kept = clusters.filter((cluster) => cluster.seconds >= limit);
  for (const stray of clusters.filter((cluster) => cluster.seconds < limit)) {
    const similarities = kept.map((cluster) => cosine(cluster.embedding, stray.embedding));
    kept[similarities.indexOf(Math.max(...similarities))]?.members.push(...stray.members);
  }
  return kept;
};

/**
 * Finds the same speakers in different blocks, and those that one block split in two: agglomerative clustering by the
 * cosine of the clusters' mean embeddings. Stops at `speakers` clusters if that is given, else when no two clusters reach
 * `sameSpeakerCosine`. Returns the cluster of each block speaker.
 */
export const linkSpeakers = (
  blockSpeakers: readonly BlockSpeaker[],
  speakers: number | null,
  sameSpeakerCosine: number,
): number[] => {
  let clusters: Cluster[] = blockSpeakers.map(({ embedding, seconds }, index) => ({
    members: [index],
    embedding,
    seconds,
  }));
  if (speakers !== null && clusters.length > speakers) {
    const kept = absorbStrays(clusters);
    if (kept.length >= speakers) clusters = kept;
  }
  for (;;) {
    const { i, j, similarity } = mostSimilarPair(clusters);
    const [a, b] = [clusters[i], clusters[j]];
    if (a === undefined || b === undefined) break;
    if (speakers === null ? similarity < sameSpeakerCosine : clusters.length <= speakers) break;
    clusters.splice(j, 1);
    clusters[i] = merge(a, b);
  }
  if (speakers === null) clusters = absorbStrays(clusters);
  const labels = blockSpeakers.map(() => 0);
  for (const [label, { members }] of clusters.entries()) {
    for (const member of members) labels[member] = label;
  }
  return labels;
};
