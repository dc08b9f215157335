/**
 * Breaks the pieces of one cue into lines: as few lines as hold them, then the best places by a cost that
 * weighs grammar, balance and orphans (a dynamic programme, as in Knuth and Plass, "Breaking paragraphs into
 * lines", 1981).
 */

import { displayWidth } from '../base/text.ts';
import { breakCost } from './breaks.ts';
import type { TextPiece } from './tokens.ts';

/** First-fit breaking, piece by piece: it needs the fewest lines possible. */
export type Fill = { readonly lines: number; readonly columns: number };

export const EMPTY_FILL: Fill = { lines: 0, columns: 0 };

export const addPiece = (fill: Fill, width: number, spaced: boolean, maxColumns: number): Fill => {
  const columns = fill.columns + (spaced ? 1 : 0) + width;
  return fill.lines === 0 || columns > maxColumns
    ? { lines: fill.lines + 1, columns: width }
    : { lines: fill.lines, columns };
};

/** A line of one word among longer lines reads badly; it costs more than any place to break. */
const ORPHAN = 1000;

export const joinPieces = (pieces: readonly TextPiece[]): string =>
  pieces.map((piece, index) => (index > 0 && piece.spaced ? ` ${piece.text}` : piece.text)).join('');

type Choice = { readonly cost: number; readonly end: number };

const lineCost = (pieces: readonly TextPiece[], from: number, to: number, unevenness: number): number => {
  const last = pieces[to - 1];
  const next = pieces[to];
  const place = last === undefined || next === undefined ? 0 : breakCost(last.text, next.text, 0);
  return place + (to - from === 1 ? ORPHAN : 0) + unevenness ** 2 * 150;
};

/**
 * The lines of a cue. A piece wider than a line gives a line that is too long: split such pieces first.
 * Work and memory: pieces squared; a cue has at most some hundred pieces.
 */
export const breakLines = (pieces: readonly TextPiece[], maxColumns: number): string[] => {
  const widths = pieces.map((piece) => displayWidth(piece.text));
  const fill = pieces.reduce(
    (sum, piece, index) => addPiece(sum, widths[index] ?? 0, piece.spaced, maxColumns),
    EMPTY_FILL,
  );
  if (fill.lines <= 1) return [joinPieces(pieces)];
  const total = pieces.reduce((sum, piece, index) => sum + (widths[index] ?? 0) + (piece.spaced ? 1 : 0), 0);
  const ideal = total / fill.lines;

  /** `plan[lines][from]`: the best first line when the pieces from `from` on are set in so many lines. */
  const plan: Choice[][] = [[]];
  for (let lines = 1; lines <= fill.lines; lines++) {
    const row: Choice[] = [];
    for (let from = pieces.length - 1; from >= 0; from--) {
      let columns = 0;
      let choice: Choice = { cost: Number.POSITIVE_INFINITY, end: pieces.length };
      for (let to = from + 1; to <= pieces.length; to++) {
        columns += (widths[to - 1] ?? 0) + (to - 1 > from && pieces[to - 1]?.spaced ? 1 : 0);
        if (columns > maxColumns && to > from + 1) break;
        const rest = to === pieces.length ? (lines === 1 ? 0 : undefined) : plan[lines - 1]?.[to]?.cost;
        if (rest === undefined) continue;
        const cost = rest + lineCost(pieces, from, to, (columns - ideal) / ideal);
        if (cost < choice.cost) choice = { cost, end: to };
      }
      row[from] = choice;
    }
    plan.push(row);
  }

  const result: string[] = [];
  let from = 0;
  for (let lines = fill.lines; lines > 0 && from < pieces.length; lines--) {
    const end = plan[lines]?.[from]?.end ?? pieces.length;
    result.push(joinPieces(pieces.slice(from, end)));
    from = end;
  }
  return result;
};
