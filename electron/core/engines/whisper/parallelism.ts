/** How the processor is divided among chunks. */
export type Parallelism = {
  /** Threads of one job. */
  threads: number;
  /** Jobs at once on one model. */
  concurrency: number;
};

const MAX_THREADS = 4;
const MAX_CONCURRENCY = 4;

/**
 * The default for a machine with `cores` cores. Recognition scales over chunks rather than over threads: chunks never wait for
 * each other, while the threads of one chunk do at every step of the encoder. So jobs get several threads only if there are
 * cores to spare (docs/decisions/005-threads-and-chunks.md).
 */
export const defaultParallelism = (cores: number): Parallelism => {
  const usable = Math.max(1, Math.floor(cores));
  const concurrency = Math.min(MAX_CONCURRENCY, usable);
  return { threads: Math.min(MAX_THREADS, Math.max(1, Math.floor(usable / concurrency))), concurrency };
};
