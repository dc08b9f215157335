/**
 * How much of a sweep runs: `npm test` takes a fixed part with a case of every kind, `npm run test:full` (every night) all of
 * it, by EARSHOT_TEST_BREADTH=full.
 */
export const breadth = <T>(core: T, full: T): T =>
  process.env.EARSHOT_TEST_BREADTH === 'full' ? full : core;

/**
 * For two lists whose every pair is a case: what is checked of `items` at place `at` of the other list, which has `count`.
 * In `npm test` each item is checked at one place, and those of a place follow each other in `items`.
 */
export const dealt = <T>(items: readonly T[], at: number, count: number): readonly T[] =>
  breadth(
    items.filter((_, index) => Math.floor((index * count) / items.length) === at),
    items,
  );
