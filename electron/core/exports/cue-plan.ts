import { displayWidth } from '../base/text.ts';
import type { CuePiece } from './cue-pieces.ts';
import type { SubtitleRules } from './rules.ts';

/** Weights of the faults of a cue; one that is too short outweighs all others together. */
const COST = {
  cue: 40,
  short: 3000,
  fastest: 300,
  orphan: 800,
  sentenceInside: 45,
  pauseInside: 80,
  unfilled: 30,
} as const;

type Range = {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  /** The cost of the places inside. */
  readonly inside: number;
};

/** What a cue costs by the time that it can be shown. */
const timeCost = (
  first: CuePiece,
  last: CuePiece,
  columns: number,
  end: number,
  rules: SubtitleRules,
): number => {
  const latest = Math.min(end, first.start + rules.maxSeconds);
  const readable = first.start + Math.max(rules.minSeconds, columns / rules.maxCps);
  const seconds = Math.max(0.001, Math.min(Math.max(last.end, readable), latest) - first.start);
  const short = seconds < rules.minSeconds - 1e-6 ? COST.short * (2 - seconds / rules.minSeconds) : 0;
  return short + Math.min(COST.fastest, 20 * Math.max(0, columns / seconds - rules.maxCps));
};

/** What a word costs that stands alone though its sentence goes on. */
const orphanCost = (piece: CuePiece, before: CuePiece | undefined, next: CuePiece | undefined): number => {
  const goesOn = next !== undefined && !next.mustStart && !piece.endsSentence;
  const wentOn = before !== undefined && !piece.mustStart && !before.endsClause;
  return (goesOn ? COST.orphan : 0) + (wentOn ? COST.orphan : 0);
};

const cueCost = (
  pieces: readonly CuePiece[],
  range: Range,
  rules: SubtitleRules,
  windowEnd: number,
): number => {
  const { from, to, columns, inside } = range;
  const first = pieces[from];
  const last = pieces[to - 1];
  const next = pieces[to];
  if (first === undefined || last === undefined) return 0;
  const end = next === undefined ? windowEnd : next.start - rules.minGap;
  const full = Math.min(1, columns / (rules.maxColumns * rules.maxLines));
  return (
    COST.cue +
    inside +
    last.endCost +
    timeCost(first, last, columns, end, rules) +
    COST.unfilled * (1 - full) ** 2 +
    (to - from === 1 ? orphanCost(first, pieces[from - 1], next) : 0)
  );
};

/** What it costs to hold the place after `piece` inside a cue. */
const insideCost = ({ endsSentence, pauseAfter }: CuePiece): number =>
  (endsSentence ? COST.sentenceInside : 0) + (pauseAfter > 0.5 ? COST.pauseInside * pauseAfter : 0);

/**
 * The index after the last piece of each cue, in order: the cheapest way to cut the pieces, by a dynamic
 * programme from the end. Every cue has room for its pieces, and lasts no longer than it may.
 */
export const planCues = (pieces: readonly CuePiece[], rules: SubtitleRules, windowEnd: number): number[] => {
  const costs = new Float64Array(pieces.length + 1);
  const ends = new Uint32Array(pieces.length);
  for (let from = pieces.length - 1; from >= 0; from--) {
    const first = pieces[from];
    if (first === undefined) continue;
    // First-fit breaking as in `addPiece`, without an object a step: this loop runs a million times for 10 hours.
    let columns = first.label === null ? 0 : displayWidth(first.label.text);
    let line = columns;
    let lines = columns > 0 ? 1 : 0;
    let inside = 0;
    let best = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= pieces.length; to++) {
      const piece = pieces[to - 1];
      const before = to - 1 > from ? pieces[to - 2] : undefined;
      if (piece === undefined) break;
      const spaced = before === undefined ? first.label !== null : piece.spaced;
      const added = piece.columns + (spaced ? 1 : 0);
      columns += added;
      line += added;
      if (lines === 0 || line > rules.maxColumns) {
        lines++;
        line = piece.columns;
      }
      if (before !== undefined) {
        const tooLong = piece.end - first.start > rules.maxSeconds;
        if (piece.mustStart || lines > rules.maxLines || tooLong) break;
        inside += insideCost(before);
      }
      const cost = cueCost(pieces, { from, to, columns, inside }, rules, windowEnd) + (costs[to] ?? 0);
      if (cost < best) {
        best = cost;
        ends[from] = to;
      }
    }
    costs[from] = best;
  }
  const result: number[] = [];
  for (let at = 0; at < pieces.length; at = result.at(-1) ?? pieces.length) {
    result.push(Math.max(at + 1, ends[at] ?? 0));
  }
  return result;
};
