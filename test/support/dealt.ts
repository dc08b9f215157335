/**
 * For two lists whose every pair would be a case: the part of `items` that is checked at place `at` of the other list, which
 * has `count`. Each item is checked at one place; those of a place follow each other in `items`.
 */
export const dealt = <T>(items: readonly T[], at: number, count: number): readonly T[] =>
  items.filter((_, index) => Math.floor((index * count) / items.length) === at);
