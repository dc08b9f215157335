/** The wall clock and a monotonic one, handed in so that a jump of the wall clock cannot break a lease. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some fixed moment of this process; never goes back. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** ISO 8601 in UTC with milliseconds. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
