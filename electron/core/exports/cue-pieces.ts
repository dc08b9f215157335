import { displayWidth } from '../base/text.ts';
import { breakCost, endsClause, endsSentence } from './breaks.ts';
import type { SubtitleRules } from './rules.ts';
import { type TimedPiece, timedPieces } from './timed-words.ts';
import { splitToColumns, type TextPiece } from './tokens.ts';
import type { ExportTranscript } from './types.ts';

/** Gives the label that is set in front of a speaker's first cue of a turn, or null for none. */
export type LabelOf = (speaker: string) => string | null;

/** A piece of text that is never cut again, with what is known of it and of the place after it. */
export type CuePiece = TimedPiece & {
  readonly columns: number;
  /** The first of a speaker's turn. */
  readonly opensTurn: boolean;
  /** A label that its cue shows in front of it. */
  readonly label: TextPiece | null;
  /** No cue may hold both this piece and the one before. */
  readonly mustStart: boolean;
  readonly endsSentence: boolean;
  readonly endsClause: boolean;
  /** What a cue costs that ends after it, 0 to 100. */
  readonly endCost: number;
  /** Silence between it and the next, in seconds. */
  readonly pauseAfter: number;
};

type Draft = Omit<CuePiece, 'endCost' | 'pauseAfter'>;

/** Splits a piece that no line can hold, sharing its time by width. */
const fitPiece = (piece: TimedPiece, columns: number): TimedPiece[] => {
  if (displayWidth(piece.text) <= columns) return [piece];
  const parts = splitToColumns(piece.text, columns);
  const total = Math.max(1, displayWidth(parts.join('')));
  let at = piece.start;
  return parts.map((text, index) => {
    const start = at;
    at += ((piece.end - piece.start) * displayWidth(text)) / total;
    return { ...piece, text, spaced: index === 0 && piece.spaced, start, end: at };
  });
};

const draftPieces = (transcript: ExportTranscript, rules: SubtitleRules, labelOf: LabelOf): Draft[] => {
  const drafts: Draft[] = [];
  for (const piece of timedPieces(transcript)) {
    const before = drafts.at(-1);
    const opensTurn = before === undefined || before.speaker !== piece.speaker;
    const label = opensTurn && piece.speaker !== null ? labelOf(piece.speaker) : null;
    const taken = rules.maxLines === 1 && label !== null ? displayWidth(label) + 1 : 0;
    const paused = before !== undefined && piece.start - before.end >= rules.pauseSeconds;
    fitPiece(piece, Math.max(1, rules.maxColumns - taken)).forEach((part, index) => {
      const first = index === 0;
      drafts.push({
        ...part,
        columns: displayWidth(part.text),
        opensTurn: first && opensTurn,
        label: first && label !== null ? { text: label, spaced: false } : null,
        mustStart: first && (rules.oneWordACue || opensTurn || paused),
        endsSentence: endsSentence(part.text),
        endsClause: endsClause(part.text),
      });
    });
  }
  return drafts;
};

/** The pieces that cues are made of. Pieces that no line can hold are split. */
export const cuePieces = (
  transcript: ExportTranscript,
  rules: SubtitleRules,
  labelOf: LabelOf,
): CuePiece[] => {
  const drafts = draftPieces(transcript, rules, labelOf);
  return drafts.map((piece, index) => {
    const next = drafts[index + 1];
    const pauseAfter = next === undefined ? 0 : next.start - piece.end;
    const forced = next === undefined || next.mustStart;
    return { ...piece, pauseAfter, endCost: forced ? 0 : breakCost(piece.text, next.text, pauseAfter) };
  });
};
