import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { TIMED_FIXTURES } from './paths.ts';
import { plainWords } from './word-error-rate.ts';

/** Seconds; null if the synthesizer joined two words. */
const TrueWord = z.object({ word: z.string(), start: z.number().nullable(), end: z.number().nullable() });
const TimedRecording = z.object({
  language: z.string(),
  voice: z.string(),
  duration: z.number(),
  text: z.string(),
  words: z.array(TrueWord),
});

type HeardWord = { readonly word: string; readonly start: number; readonly end: number };

export const timedRecording = (
  name: string,
): z.output<typeof TimedRecording> & { readonly path: string } => ({
  ...TimedRecording.parse(JSON.parse(readFileSync(join(TIMED_FIXTURES, `${name}.json`), 'utf8'))),
  path: join(TIMED_FIXTURES, `${name}.ogg`),
});

const keyOf = (word: string): string => plainWords(word).join('');

/** The pairs of a longest common subsequence. */
const commonPairs = (first: readonly string[], second: readonly string[]): [number, number][] => {
  const rows = Array.from({ length: first.length + 1 }, () => new Uint16Array(second.length + 1));
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = first.length - 1; i >= 0; i--) {
    const row = rows[i];
    for (let j = second.length - 1; row && j >= 0; j--) {
      row[j] = first[i] === second[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    if (first[i] === second[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
};

/** How far the times of rightly recognized words are from the truth, in milliseconds; later is positive. */
export type TimeErrors = { readonly starts: number[]; readonly ends: number[] };

/** The pairs whose neighbors are pairs, too: a misheard word also moves the border to the next one. */
const betweenPairs = (pairs: readonly [number, number][], last: number): [number, number][] => {
  const second = new Map(pairs);
  return pairs.filter(
    ([i, j]) => (i === 0 || second.get(i - 1) === j - 1) && (i === last || second.get(i + 1) === j + 1),
  );
};

export const timeErrors = (
  truth: readonly z.output<typeof TrueWord>[],
  heard: readonly HeardWord[],
  { onlyBetween = false }: { readonly onlyBetween?: boolean } = {},
): TimeErrors => {
  const errors: TimeErrors = { starts: [], ends: [] };
  const pairs = commonPairs(
    truth.map(({ word }) => keyOf(word)),
    heard.map(({ word }) => keyOf(word)),
  );
  for (const [i, j] of onlyBetween ? betweenPairs(pairs, truth.length - 1) : pairs) {
    const [said, found] = [truth[i], heard[j]];
    if (said === undefined || found === undefined) continue;
    if (said.start !== null) errors.starts.push((found.start - said.start) * 1000);
    if (said.end !== null) errors.ends.push((found.end - said.end) * 1000);
  }
  return errors;
};
