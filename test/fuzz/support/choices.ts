import fc from 'fast-check';
import { anyCharacter } from '../../support/any-text.ts';
import type { Random as Chance } from '../../support/random.ts';

/** Choices that fast-check makes, so that a request that fails is made again with simpler ones. */
export type Random = Omit<Chance, 'bytes'> & {
  /** Text of any characters, of this many UTF-16 units at least and at most. */
  text(minLength: number, maxLength: number): string;
  /** Text that a pattern matches, of no more characters than this. */
  matching(pattern: string, maxLength: number): string;
  /** Any JSON value. */
  json(): unknown;
};

/** Steps of a probability. */
const STEPS = 10_000;
const MAX_TEXT = 300;

/** fast-check recognizes a choice by its arbitrary, so the same limits must give the same one. */
const kept = <T>(make: (low: number, high: number) => fc.Arbitrary<T>) => {
  const known = new Map<string, () => fc.Arbitrary<T>>();
  return (low: number, high: number): (() => fc.Arbitrary<T>) => {
    const key = `${low}-${high}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const arbitrary = make(low, high);
    const made = () => arbitrary;
    known.set(key, made);
    return made;
  };
};

// Without a bias, which would make choices of the first and last item more likely than the planner's shares say.
const integers = kept((min, max) => fc.noBias(fc.integer({ min, max })));
const texts = kept((minLength, maxLength) => fc.string({ unit: anyCharacter, minLength, maxLength }));
const patterns = new Map<string, () => fc.Arbitrary<string>>();

const matching = (pattern: string, maxLength: number): (() => fc.Arbitrary<string>) => {
  const key = `${maxLength} ${pattern}`;
  const found = patterns.get(key);
  if (found !== undefined) return found;
  const arbitrary = fc.stringMatching(new RegExp(pattern, 'u')).filter((text) => text.length <= maxLength);
  const made = () => arbitrary;
  patterns.set(key, made);
  return made;
};

const json = () => fc.jsonValue({ maxDepth: 3 });

/** Choices from fast-check's generator; the simplest are 0, `false`, the first item and the shortest text. */
export const choicesOf = (generate: fc.GeneratorValue): Random => {
  const int = (low: number, high: number): number => generate(integers(low, high));
  return {
    int,
    next: () => int(0, STEPS - 1) / STEPS,
    chance: (probability) => int(0, STEPS - 1) >= STEPS * (1 - probability),
    pick: (list) => {
      const item = list[int(0, list.length - 1)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
    text: (minLength, maxLength) =>
      generate(texts(minLength, Math.max(minLength, Math.min(maxLength, MAX_TEXT)))),
    matching: (pattern, maxLength) => generate(matching(pattern, maxLength)),
    json: () => generate(json),
  };
};
