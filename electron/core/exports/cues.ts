/**
 * Cuts a transcript into subtitle cues: the cheapest way by a dynamic programme over all places where a cue
 * may end. Kept always: the room of a cue (lines and columns), its longest time, one speaker a cue, no cue
 * across a long pause. Kept where the speech allows: the shortest time, the reading speed, whole clauses, no
 * orphan words.
 */

import { displayWidth } from '../base/text.ts';
import { type CuePiece, cuePieces, type LabelOf } from './cue-pieces.ts';
import { planCues } from './cue-plan.ts';
import { type CueTimes, timeCues } from './cue-times.ts';
import { breakLines } from './lines.ts';
import type { SubtitleRules } from './rules.ts';
import { windowOf } from './timed-words.ts';
import type { TextPiece } from './tokens.ts';
import type { ExportTranscript } from './types.ts';

export type Cue = CueTimes & {
  readonly lines: readonly string[];
  readonly speaker: string | null;
  /** Whether the speaker begins to speak with this cue. */
  readonly opensTurn: boolean;
};

/** A cue's pieces as text: its label, then the words. */
const withLabel = (pieces: readonly CuePiece[]): readonly TextPiece[] => {
  const [first, ...rest] = pieces;
  return first === undefined || first.label === null
    ? pieces
    : [first.label, { ...first, spaced: true }, ...rest];
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
  const pieces = cuePieces(transcript, rules, labelOf);
  const window = windowOf(transcript);
  let from = 0;
  const drafts = planCues(pieces, rules, window.end).map((end) => {
    const cue = pieces.slice(from, end);
    from = end;
    const lines = breakLines(withLabel(cue), rules.maxColumns);
    const columns = lines.reduce((sum, line) => sum + displayWidth(line), lines.length - 1);
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
