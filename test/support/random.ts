/**
 * The seed of everything random in the tests: property tests, the fuzz run, random bytes. Fixed, so that `npm test` repeats
 * itself; `npm run fuzz` sets another one.
 */
export const SEED = Number(process.env.EARSHOT_TEST_SEED ?? 1);

/** Choices that the same seed repeats. */
export type Random = {
  /** 0 to 1, exclusive. */
  next(): number;
  /** From `low` to `high`, both included. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Buffer<ArrayBuffer>;
};

/** Mulberry32 by Tommy Ettinger (public domain): small, fast and good enough to choose test values. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => {
      const item = list[int(0, list.length - 1)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
    bytes: (length) => Buffer.from(Uint8Array.from({ length }, () => int(0, 255))),
  };
};
