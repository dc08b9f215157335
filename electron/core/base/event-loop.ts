import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets the event loop run when this much time has passed since it last did. */
const SLICE_MS = 6;

/** Awaited between bounded chunks of work: mostly free, and a turn of the event loop when one is due. */
export type YieldIfDue = () => Promise<void>;

/** Cooperative multitasking for long computations in a process that also serves requests. */
export const createYielder = (sliceMs: number = SLICE_MS): YieldIfDue => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await nextTurn();
    since = performance.now();
  };
};
