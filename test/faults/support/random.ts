/** Numbers that look random and are the same for the same seed (mulberry32 by Tommy Ettinger, public domain). */
export type Random = {
  /** A whole number from `low` up to and without `high`. */
  int(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
};

export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low));
  return {
    int,
    pick: (list) => {
      const chosen = list[int(0, list.length)];
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
      return chosen;
    },
  };
};
