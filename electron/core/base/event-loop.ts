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
