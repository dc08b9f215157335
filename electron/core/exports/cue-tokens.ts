import { displayWidth } from '../base/text.ts';
import { breakCost, endsClause, endsSentence } from './breaks.ts';
import type { SubtitleRules } from './rules.ts';
import { type TimedToken, timeTokens } from './timed-tokens.ts';
import { splitToWidth, type TextToken } from './tokens.ts';
import type { ExportTranscript } from './types.ts';

/** Returns the label before a speaker's words at the start of a turn, or null for none. */
export type LabelOf = (speaker: string) => string | null;

/** A token that no line breaks, with what the planner needs to know about it. */
export type CueToken = TimedToken & {
  readonly columns: number;
  /** Shown before it, if a cue starts with it. */
  readonly label: TextToken | null;
  /** A cue ends before it in any case: after a pause, at a turn, or with one word per cue. */
  readonly mustStartCue: boolean;
  readonly endsSentence: boolean;
  readonly endsClause: boolean;
  /** The cost of ending a cue after it, 0 to 100. */
  readonly breakCostAfter: number;
  /** Seconds until the next token. */
  readonly pauseAfter: number;
};

type DraftToken = Omit<CueToken, 'breakCostAfter' | 'pauseAfter'>;

/** Splits a token wider than a line, and its time by width. */
const splitToFit = (token: TimedToken, columns: number): TimedToken[] => {
  if (displayWidth(token.text) <= columns) return [token];
  const parts = splitToWidth(token.text, columns);
  const total = Math.max(1, displayWidth(parts.join('')));
  let at = token.start;
  return parts.map((text, index) => {
    const start = at;
    at += ((token.end - token.start) * displayWidth(text)) / total;
    return { ...token, text, hasSpaceBefore: index === 0 && token.hasSpaceBefore, start, end: at };
  });
};

const draftTokens = (transcript: ExportTranscript, rules: SubtitleRules, labelOf: LabelOf): DraftToken[] => {
  const drafts: DraftToken[] = [];
  for (const token of timeTokens(transcript)) {
    const before = drafts.at(-1);
    const startsTurn = before === undefined || before.speaker !== token.speaker;
    const label = startsTurn && token.speaker !== null ? labelOf(token.speaker) : null;
    const taken = rules.maxLines === 1 && label !== null ? displayWidth(label) + 1 : 0;
    const paused = before !== undefined && token.start - before.end >= rules.pauseSeconds;
    splitToFit(token, Math.max(1, rules.maxColumns - taken)).forEach((part, index) => {
      const first = index === 0;
      drafts.push({
        ...part,
        columns: displayWidth(part.text),
        label: first && label !== null ? { text: label, hasSpaceBefore: false } : null,
        mustStartCue: first && (rules.oneWordPerCue || startsTurn || paused),
        endsSentence: endsSentence(part.text),
        endsClause: endsClause(part.text),
      });
    });
  }
  return drafts;
};

/** The transcript's tokens, ready for planning; those wider than a line are split. */
export const prepareTokens = (
  transcript: ExportTranscript,
  rules: SubtitleRules,
  labelOf: LabelOf,
): CueToken[] => {
  const drafts = draftTokens(transcript, rules, labelOf);
  return drafts.map((token, index) => {
    const next = drafts[index + 1];
    const pauseAfter = next === undefined ? 0 : next.start - token.end;
    const forced = next === undefined || next.mustStartCue;
    return {
      ...token,
      pauseAfter,
      breakCostAfter: forced ? 0 : breakCost(token.text, next.text, pauseAfter),
    };
  });
};
