import { cosine, meanDirection } from '../../base/vectors.ts';

/** A voice of one block of audio, and for how long it was listened to. */
export type BlockVoice = {
  readonly block: number;
  readonly embedding: Float32Array;
  readonly seconds: number;
};

/**
 * Who is heard for less than this share of all speech, and for less than the larger number of seconds, is taken for a
 * stray stretch; so is who is heard for less than the smaller number: that is too little to know a voice by.
 */
const LEAST_SHARE = 0.01;
const LEAST_SECONDS = { short: 1, long: 5 };

type Cluster = { members: number[]; embedding: Float32Array; seconds: number };

const joined = (a: Cluster, b: Cluster): Cluster => ({
  members: [...a.members, ...b.members],
  embedding: meanDirection([
    { vector: a.embedding, weight: a.seconds },
    { vector: b.embedding, weight: b.seconds },
  ]),
  seconds: a.seconds + b.seconds,
});

/** The two clusters that sound most alike. */
const closest = (clusters: readonly Cluster[]): { i: number; j: number; alike: number } => {
  let best = { i: -1, j: -1, alike: -Infinity };
  for (const [i, a] of clusters.entries()) {
    for (const [j, b] of clusters.entries()) {
      if (j <= i) continue;
      const alike = cosine(a.embedding, b.embedding);
      if (alike > best.alike) best = { i, j, alike };
    }
  }
  return best;
};

/** A stray stretch of noise or laughter becomes a voice of its own: it goes to the one that it sounds most like. */
const absorb = (clusters: Cluster[]): Cluster[] => {
  const total = clusters.reduce((sum, cluster) => sum + cluster.seconds, 0);
  const least = Math.max(LEAST_SECONDS.short, Math.min(LEAST_SECONDS.long, total * LEAST_SHARE));
  const kept = clusters.filter((cluster) => cluster.seconds >= least);
  for (const stray of clusters.filter((cluster) => cluster.seconds < least)) {
    const alike = kept.map((cluster) => cosine(cluster.embedding, stray.embedding));
    kept[alike.indexOf(Math.max(...alike))]?.members.push(...stray.members);
  }
  return kept;
};

/**
 * Finds the same voices in different blocks, and those that a block took for two: agglomerative clustering
 * by the cosine of the clusters' means. Ends at `speakers` clusters where that is given, else where no two are
 * alike by `sameVoice`. Answers each voice's cluster.
 */
export const linkSpeakers = (
  voices: readonly BlockVoice[],
  speakers: number | null,
  sameVoice: number,
): number[] => {
  let clusters: Cluster[] = voices.map(({ embedding, seconds }, index) => ({
    members: [index],
    embedding,
    seconds,
  }));
  if (speakers !== null && clusters.length > speakers) {
    const kept = absorb(clusters);
    if (kept.length >= speakers) clusters = kept;
  }
  for (;;) {
    const { i, j, alike } = closest(clusters);
    const [a, b] = [clusters[i], clusters[j]];
    if (a === undefined || b === undefined) break;
    if (speakers === null ? alike < sameVoice : clusters.length <= speakers) break;
    clusters.splice(j, 1);
    clusters[i] = joined(a, b);
  }
  if (speakers === null) clusters = absorb(clusters);
  const labels = voices.map(() => 0);
  for (const [label, { members }] of clusters.entries()) {
    for (const member of members) labels[member] = label;
  }
  return labels;
};
