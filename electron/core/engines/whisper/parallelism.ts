/** How the processor is divided among jobs. */
export type Parallelism = { threads: number; statesSideBySide: number };

const MOST_THREADS = 4;
const MOST_STATES = 4;

/**
 * The default for a machine with so many cores. Recognition scales better over pieces than over threads:
 * threads of one piece wait for the slowest at every step, and on a busy machine that is a long wait. So
 * small machines run one thread a piece; large ones get more threads only once there are enough pieces.
 */
export const defaultParallelism = (cores: number): Parallelism => {
  const usable = Math.max(1, Math.floor(cores));
  const statesSideBySide = Math.min(MOST_STATES, usable);
  return {
    threads: Math.min(MOST_THREADS, Math.max(1, Math.floor(usable / statesSideBySide))),
    statesSideBySide,
  };
};
