import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 6;

/** Yields to the event loop if the time slice is over; otherwise resolves at once. Await it between bounded steps. */
export type YieldIfDue = () => Promise<void>;

/** Cooperative multitasking for long computations in the server's process. `sliceMs`: longest time without a yield. */
export const createYielder = (sliceMs: number = SLICE_MS): YieldIfDue => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await nextTurn();
    since = performance.now();
  };
};

/** Await it between steps of work that may take long. */
export type Pace = () => Promise<void>;

const WORK_MS = 25;

/**
 * Rests for as long as the work since the last rest took, which leaves half of the disk and of a core to others. Work of
 * less than `workMs` is rested for with what follows.
 */
export const createPace = (workMs = WORK_MS): Pace => {
  let since = performance.now();
  return async () => {
    const workedMs = performance.now() - since;
    if (workedMs < workMs) return;
    await new Promise((resolve) => setTimeout(resolve, workedMs));
    since = performance.now();
  };
};

/** Never rests. */
export const FULL_SPEED: Pace = () => Promise.resolve();
