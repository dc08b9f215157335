/**
 * Breaks the tokens of one cue into the fewest lines, at the places of least cost: grammar, balance, and no line of
 * one word. Dynamic programming as in Knuth and Plass, "Breaking Paragraphs into Lines" (1981).
 */

import { breakCost } from './breaks.ts';
import { displayWidth } from './display-width.ts';
import type { TextToken } from './tokens.ts';

/** State of first-fit breaking, which needs the fewest lines possible. */
export type Fill = { readonly lines: number; readonly columns: number };

export const EMPTY_FILL: Fill = { lines: 0, columns: 0 };

export const addToFill = (fill: Fill, width: number, spaced: boolean, maxColumns: number): Fill => {
  const columns = fill.columns + (spaced ? 1 : 0) + width;
  return fill.lines === 0 || columns > maxColumns
    ? { lines: fill.lines + 1, columns: width }
    : { lines: fill.lines, columns };
};

/** The cost of a line of one word, above that of any break. */
const ORPHAN = 1000;

export const joinTokens = (tokens: readonly TextToken[]): string =>
  tokens.map((token, index) => (index > 0 && token.hasSpaceBefore ? ` ${token.text}` : token.text)).join('');

type Choice = { readonly cost: number; readonly end: number };

const lineCost = (tokens: readonly TextToken[], from: number, to: number, unevenness: number): number => {
  const last = tokens[to - 1];
  const next = tokens[to];
  const place = last === undefined || next === undefined ? 0 : breakCost(last.text, next.text, 0);
  return place + (to - from === 1 ? ORPHAN : 0) + unevenness ** 2 * 150;
};

/**
 * The lines of a cue. Split tokens wider than `maxColumns` before: they would make a line that is too long.
 * Takes quadratic time and memory; a cue has a few hundred tokens at most.
 */
export const breakLines = (tokens: readonly TextToken[], maxColumns: number): string[] => {
  const widths = tokens.map((token) => displayWidth(token.text));
  const fill = tokens.reduce(
    (sum, token, index) => addToFill(sum, widths[index] ?? 0, token.hasSpaceBefore, maxColumns),
    EMPTY_FILL,
  );
  if (fill.lines <= 1) return [joinTokens(tokens)];
  const total = tokens.reduce(
    (sum, token, index) => sum + (widths[index] ?? 0) + (token.hasSpaceBefore ? 1 : 0),
    0,
  );
  const ideal = total / fill.lines;

  /** `plan[lines][from]`: the best first line of the tokens from `from` on, set in that many lines. */
  const plan: Choice[][] = [[]];
  for (let lines = 1; lines <= fill.lines; lines++) {
    const row: Choice[] = [];
    for (let from = tokens.length - 1; from >= 0; from--) {
      let columns = 0;
      let choice: Choice = { cost: Number.POSITIVE_INFINITY, end: tokens.length };
      for (let to = from + 1; to <= tokens.length; to++) {
        columns += (widths[to - 1] ?? 0) + (to - 1 > from && tokens[to - 1]?.hasSpaceBefore ? 1 : 0);
        if (columns > maxColumns && to > from + 1) break;
        const rest = to === tokens.length ? (lines === 1 ? 0 : undefined) : plan[lines - 1]?.[to]?.cost;
        if (rest === undefined) continue;
        const cost = rest + lineCost(tokens, from, to, (columns - ideal) / ideal);
        if (cost < choice.cost) choice = { cost, end: to };
      }
      row[from] = choice;
    }
    plan.push(row);
  }

  const result: string[] = [];
  let from = 0;
  for (let lines = fill.lines; lines > 0 && from < tokens.length; lines--) {
    const end = plan[lines]?.[from]?.end ?? tokens.length;
    result.push(joinTokens(tokens.slice(from, end)));
    from = end;
  }
  return result;
};
