/** How the processor is divided among jobs. */
export type Parallelism = { threads: number; statesSideBySide: number };

const MOST_THREADS = 4;
const MOST_STATES = 4;

/**
 * The default for a machine with so many cores. Recognition scales over pieces rather than over threads: the
 * threads of one piece wait for each other at every step, spinning. On two busy cores a minute of speech took
 * 10 s of processor time with one thread and 75 s with two, while two pieces side by side with one thread
 * each took no more than one piece. So a machine gets threads only once it has cores to spare.
 */
export const defaultParallelism = (cores: number): Parallelism => {
  const usable = Math.max(1, Math.floor(cores));
  const statesSideBySide = Math.min(MOST_STATES, usable);
  return {
    threads: Math.min(MOST_THREADS, Math.max(1, Math.floor(usable / statesSideBySide))),
    statesSideBySide,
  };
};
