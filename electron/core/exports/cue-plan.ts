import type { CueToken } from './cue-tokens.ts';
import { displayWidth } from './display-width.ts';
import type { SubtitleRules } from './rules.ts';

/** Weights of a cue's faults. Too short a cue outweighs all others together. */
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
  /** The cost of the sentence ends and pauses inside. */
  readonly inside: number;
};

/** The cost of showing a cue for less than it takes to read. */
const timeCost = (
  first: CueToken,
  last: CueToken,
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

/** The cost of a cue of one word in the middle of a sentence. */
const singleWordCost = (
  token: CueToken,
  before: CueToken | undefined,
  next: CueToken | undefined,
): number => {
  const goesOn = next !== undefined && !next.mustStartCue && !token.endsSentence;
  const wentOn = before !== undefined && !token.mustStartCue && !before.endsClause;
  return (goesOn ? COST.orphan : 0) + (wentOn ? COST.orphan : 0);
};

const cueCost = (
  tokens: readonly CueToken[],
  range: Range,
  rules: SubtitleRules,
  windowEnd: number,
): number => {
  const { from, to, columns, inside } = range;
  const first = tokens[from];
  const last = tokens[to - 1];
  const next = tokens[to];
  if (first === undefined || last === undefined) return 0;
  const end = next === undefined ? windowEnd : next.start - rules.minGap;
  const full = Math.min(1, columns / (rules.maxColumns * rules.maxLines));
  return (
    COST.cue +
    inside +
    last.breakCostAfter +
    timeCost(first, last, columns, end, rules) +
    COST.unfilled * (1 - full) ** 2 +
    (to - from === 1 ? singleWordCost(first, tokens[from - 1], next) : 0)
  );
};

/** The cost of not ending the cue after a token. */
const insideCost = ({ endsSentence, pauseAfter }: CueToken): number =>
  (endsSentence ? COST.sentenceInside : 0) + (pauseAfter > 0.5 ? COST.pauseInside * pauseAfter : 0);

/**
 * The index after the last token of each cue, in order: the cheapest segmentation, by dynamic programming from the
 * end. No cue exceeds `maxLines`, `maxColumns` or `maxSeconds`.
 */
export const planCues = (tokens: readonly CueToken[], rules: SubtitleRules, windowEnd: number): number[] => {
  const costs = new Float64Array(tokens.length + 1);
  const ends = new Uint32Array(tokens.length);
  for (let from = tokens.length - 1; from >= 0; from--) {
    const first = tokens[from];
    if (first === undefined) continue;
    // Inlines `addToFill` without allocating: this loop runs a million times for 10 hours of speech.
    let columns = first.label === null ? 0 : displayWidth(first.label.text);
    let line = columns;
    let lines = columns > 0 ? 1 : 0;
    let inside = 0;
    let best = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= tokens.length; to++) {
      const token = tokens[to - 1];
      const before = to - 1 > from ? tokens[to - 2] : undefined;
      if (token === undefined) break;
      const spaced = before === undefined ? first.label !== null : token.hasSpaceBefore;
      const added = token.columns + (spaced ? 1 : 0);
      columns += added;
      line += added;
      if (lines === 0 || line > rules.maxColumns) {
        lines++;
        line = token.columns;
      }
      if (before !== undefined) {
        const tooLong = token.end - first.start > rules.maxSeconds;
        if (token.mustStartCue || lines > rules.maxLines || tooLong) break;
        inside += insideCost(before);
      }
      const cost = cueCost(tokens, { from, to, columns, inside }, rules, windowEnd) + (costs[to] ?? 0);
      if (cost < best) {
        best = cost;
        ends[from] = to;
      }
    }
    costs[from] = best;
  }
  const result: number[] = [];
  for (let at = 0; at < tokens.length; at = result.at(-1) ?? tokens.length) {
    result.push(Math.max(at + 1, ends[at] ?? 0));
  }
  return result;
};
