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
 * The default for a machine with `cores` cores. Recognition scales over chunks rather than over threads, because the
 * threads of one chunk spin while they wait for each other at every step: on two busy cores a minute of speech took 10 s
 * of processor time with one thread and 75 s with two, while two chunks side by side with one thread each took no more
 * time than one. So jobs get several threads only if there are cores to spare.
 */
export const defaultParallelism = (cores: number): Parallelism => {
  const usable = Math.max(1, Math.floor(cores));
  const concurrency = Math.min(MAX_CONCURRENCY, usable);
  return { threads: Math.min(MAX_THREADS, Math.max(1, Math.floor(usable / concurrency))), concurrency };
};
