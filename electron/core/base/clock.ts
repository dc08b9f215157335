/** The wall clock and a monotonic one, which no change of the machine's time affects. Injected, so that tests can advance it. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since an arbitrary time; never decreases. */
  monotonic(): number;
  /** Calls `action` once after `milliseconds`, unless the process exits before; returns a function that cancels it. */
  schedule(milliseconds: number, action: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** ISO 8601 in UTC with milliseconds. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
