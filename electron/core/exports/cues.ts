/**
 * Cuts a transcript into subtitle cues: the cheapest way by a dynamic programme over all places where a cue
 * may end. Kept always: the room of a cue (lines and columns), its longest time, one speaker a cue, no cue
 * across a long pause. Kept where the speech allows: the shortest time, the reading speed, whole clauses, no
 * orphan words.
 */
import { breakCost, endsClause, endsSentence } from './breaks.ts';
import { type CueTimes, timeCues } from './cue-times.ts';
import { addPiece, breakLines, EMPTY_FILL } from './lines.ts';
import type { SubtitleRules } from './rules.ts';
import { columnsOf } from './text.ts';
import { type TimedPiece, timedPieces, windowOf } from './timed-words.ts';
import { splitToColumns, type TextPiece } from './tokens.ts';
import type { ExportTranscript } from './types.ts';

export type Cue = CueTimes & {
  readonly lines: readonly string[];
  readonly speaker: string | null;
  /** Whether the speaker begins to speak with this cue. */
  readonly opensTurn: boolean;
};

/** Gives the label that is set in front of a speaker's first cue of a turn, or null for none. */
export type LabelOf = (speaker: string) => string | null;

type Piece = TimedPiece & {
  readonly columns: number;
  /** The first of a speaker's turn. */
  readonly opensTurn: boolean;
  /** A label that its cue shows in front of it. */
  readonly label: TextPiece | null;
  /** No cue may hold both this piece and the one before. */
  readonly mustStart: boolean;
};

type Cost = {
  readonly cue: number;
  readonly short: number;
  readonly fastest: number;
  readonly orphan: number;
  readonly sentenceInside: number;
  readonly pauseInside: number;
  readonly unfilled: number;
};

/** Weights of the faults; a break of the shortest time outweighs all others of a cue together. */
const COST: Cost = {
  cue: 40,
  short: 3000,
  fastest: 300,
  orphan: 800,
  sentenceInside: 45,
  pauseInside: 80,
  unfilled: 30,
};

/** Splits pieces that no line can hold, sharing their time by width. */
const fitPiece = (piece: TimedPiece, columns: number): TimedPiece[] => {
  if (columnsOf(piece.text) <= columns) return [piece];
  const parts = splitToColumns(piece.text, columns);
  const total = Math.max(1, columnsOf(parts.join('')));
  let at = piece.start;
  return parts.map((text, index) => {
    const start = at;
    at += ((piece.end - piece.start) * columnsOf(text)) / total;
    return { ...piece, text, spaced: index === 0 && piece.spaced, start, end: at };
  });
};

const preparePieces = (transcript: ExportTranscript, rules: SubtitleRules, labelOf: LabelOf): Piece[] => {
  const prepared: Piece[] = [];
  for (const piece of timedPieces(transcript)) {
    const before = prepared.at(-1);
    const opensTurn = before === undefined || before.speaker !== piece.speaker;
    const label = opensTurn && piece.speaker !== null ? labelOf(piece.speaker) : null;
    const room =
      rules.maxLines === 1 && label !== null ? rules.maxColumns - columnsOf(label) - 1 : rules.maxColumns;
    fitPiece(piece, Math.max(1, room)).forEach((part, index) => {
      const first = index === 0;
      prepared.push({
        ...part,
        columns: columnsOf(part.text),
        opensTurn: first && opensTurn,
        label: first && label !== null ? { text: label, spaced: false } : null,
        mustStart: first && (rules.oneWordACue || opensTurn || part.start - before.end >= rules.pauseSeconds),
      });
    });
  }
  return prepared;
};

/** The piece's cue as text: its label, then the words. */
const withLabel = (pieces: readonly Piece[]): TextPiece[] => {
  const [first] = pieces;
  return first?.label == null ? [...pieces] : [first.label, { ...first, spaced: true }, ...pieces.slice(1)];
};

/** What the cue of pieces `from` to `to` costs, `columns` being its width. */
const cueCost = (
  pieces: readonly Piece[],
  range: { from: number; to: number; columns: number; inside: number },
  rules: SubtitleRules,
  windowEnd: number,
): number => {
  const first = pieces[range.from];
  const last = pieces[range.to - 1];
  const next = pieces[range.to];
  if (first === undefined || last === undefined) return 0;
  const latest = Math.min(
    next === undefined ? windowEnd : next.start - rules.minGap,
    first.start + rules.maxSeconds,
  );
  const wanted = Math.max(
    last.end,
    first.start + rules.minSeconds,
    first.start + range.columns / rules.maxCps,
  );
  const seconds = Math.max(0.001, Math.min(wanted, latest) - first.start);
  let cost = COST.cue + range.inside;
  if (seconds < rules.minSeconds - 1e-6) cost += COST.short * (2 - seconds / rules.minSeconds);
  cost += Math.min(COST.fastest, 20 * Math.max(0, range.columns / seconds - rules.maxCps));
  cost += COST.unfilled * (1 - Math.min(1, range.columns / (rules.maxColumns * rules.maxLines))) ** 2;
  if (next !== undefined && !next.mustStart) {
    cost += breakCost(last.text, next.text, next.start - last.end);
    if (range.to - range.from === 1 && !endsSentence(last.text)) cost += COST.orphan;
  }
  const before = pieces[range.from - 1];
  if (range.to - range.from === 1 && !first.mustStart && before !== undefined && !endsClause(before.text)) {
    cost += COST.orphan;
  }
  return cost;
};

/** What it costs to hold the place before `piece` inside a cue. */
const insideCost = (before: Piece, piece: Piece): number => {
  const pause = piece.start - before.end;
  return (endsSentence(before.text) ? COST.sentenceInside : 0) + (pause > 0.5 ? COST.pauseInside * pause : 0);
};

/** The index after the last piece of each cue, in order. */
const bestEnds = (pieces: readonly Piece[], rules: SubtitleRules, windowEnd: number): number[] => {
  const costs = new Float64Array(pieces.length + 1);
  const ends = new Uint32Array(pieces.length);
  for (let from = pieces.length - 1; from >= 0; from--) {
    costs[from] = Number.POSITIVE_INFINITY;
    const first = pieces[from];
    if (first === undefined) continue;
    let fill = EMPTY_FILL;
    if (first.label !== null) fill = addPiece(fill, columnsOf(first.label.text), false, rules.maxColumns);
    let columns = fill.columns;
    let inside = 0;
    for (let to = from + 1; to <= pieces.length; to++) {
      const piece = pieces[to - 1];
      if (piece === undefined) break;
      const before = to - 1 > from ? pieces[to - 2] : undefined;
      const spaced = before === undefined ? first.label !== null : piece.spaced;
      fill = addPiece(fill, piece.columns, spaced, rules.maxColumns);
      columns += piece.columns + (spaced ? 1 : 0);
      if (before !== undefined) {
        if (piece.mustStart || fill.lines > rules.maxLines || piece.end - first.start > rules.maxSeconds)
          break;
        inside += insideCost(before, piece);
      }
      const cost = cueCost(pieces, { from, to, columns, inside }, rules, windowEnd) + (costs[to] ?? 0);
      if (cost < (costs[from] ?? Number.POSITIVE_INFINITY)) {
        costs[from] = cost;
        ends[from] = to;
      }
    }
  }
  const result: number[] = [];
  for (let at = 0; at < pieces.length; at = result.at(-1) ?? pieces.length) {
    result.push(Math.max(at + 1, ends[at] ?? 0));
  }
  return result;
};

/**
 * The subtitles of a transcript. Their words, in order, are exactly the transcript's; cues never overlap, and
 * lie inside the transcribed part of the audio.
 * @param labelOf labels are given room on the first line and count for the reading speed.
 */
export const makeCues = (
  transcript: ExportTranscript,
  rules: SubtitleRules,
  labelOf: LabelOf = () => null,
): Cue[] => {
  const pieces = preparePieces(transcript, rules, labelOf);
  const window = windowOf(transcript);
  let from = 0;
  const drafts = bestEnds(pieces, rules, window.end).map((end) => {
    const cue = pieces.slice(from, end);
    from = end;
    const lines = breakLines(withLabel(cue), rules.maxColumns);
    const columns = lines.reduce((sum, line) => sum + columnsOf(line), lines.length - 1);
    const [first] = cue;
    return {
      start: first?.start ?? window.start,
      end: cue.at(-1)?.end ?? window.end,
      columns,
      lines,
      speaker: first?.speaker ?? null,
      opensTurn: first?.opensTurn ?? false,
    };
  });
  const times = timeCues(drafts, rules, window);
  return drafts.map(({ lines, speaker, opensTurn }, index) => ({
    lines,
    speaker,
    opensTurn,
    ...(times[index] ?? { startMs: 0, endMs: 0 }),
  }));
};
