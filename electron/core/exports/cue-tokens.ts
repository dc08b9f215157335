import { breakCost, endsClause, endsSentence } from './breaks.ts';
import { displayWidth } from './display-width.ts';
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
  /** A cue ends before it in any case: after a pause, at a turn, at another language, or with one word per cue. */
  readonly mustStartCue: boolean;
  readonly endsSentence: boolean;
  readonly endsClause: boolean;
  /** The cost of ending a cue after it, 0 to 100. */
  readonly breakCostAfter: number;
  /** Seconds until the next token. */
  readonly pauseAfter: number;
  /** Set by a person, in seconds: a cue begins with it then. */
  readonly cueStart?: number;
  /** Set by a person, in seconds: a cue ends with it then. */
  readonly cueEnd?: number;
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

type Borders = Pick<CueToken, 'cueStart' | 'cueEnd'>;

/** The borders that a person set, by token: a cue begins with the first token of its word, and ends with the last. */
const bordersOf = ({ segments }: ExportTranscript, tokens: readonly TimedToken[]): Map<number, Borders> => {
  const borders = new Map<number, Borders>();
  for (const [index, { segment, firstWord, lastWord }] of tokens.entries()) {
    for (const { word, start, end } of segments[segment]?.subtitle_times ?? []) {
      if (word < firstWord || word > lastWord) continue;
      const [before, next] = [tokens[index - 1], tokens[index + 1]];
      const isFirst = before?.segment !== segment || before.lastWord < word;
      const isLast = next?.segment !== segment || next.firstWord > word;
      borders.set(index, {
        ...borders.get(index),
        ...(start === undefined || !isFirst ? {} : { cueStart: start }),
        ...(end === undefined || !isLast ? {} : { cueEnd: end }),
      });
    }
  }
  return borders;
};

const draftTokens = (transcript: ExportTranscript, rules: SubtitleRules, labelOf: LabelOf): DraftToken[] => {
  const drafts: DraftToken[] = [];
  const tokens = timeTokens(transcript);
  const borders = rules.oneWordPerCue ? undefined : bordersOf(transcript, tokens);
  for (const [place, token] of tokens.entries()) {
    const before = drafts.at(-1);
    const { cueStart, cueEnd } = borders?.get(place) ?? {};
    const startsTurn = before === undefined || before.speaker !== token.speaker;
    const label = startsTurn && token.speaker !== null ? labelOf(token.speaker) : null;
    const taken = rules.maxLines === 1 && label !== null ? displayWidth(label) + 1 : 0;
    const changesLanguage = before !== undefined && before.language !== token.language;
    const paused = before !== undefined && token.start - before.end >= rules.pauseSeconds;
    const isBorder = cueStart !== undefined || before?.cueEnd !== undefined;
    const parts = splitToFit(token, Math.max(1, rules.maxColumns - taken));
    parts.forEach((part, index) => {
      const first = index === 0;
      drafts.push({
        ...part,
        columns: displayWidth(part.text),
        label: first && label !== null ? { text: label, hasSpaceBefore: false } : null,
        mustStartCue: first && (rules.oneWordPerCue || startsTurn || changesLanguage || paused || isBorder),
        ...(first && cueStart !== undefined ? { cueStart } : {}),
        ...(index === parts.length - 1 && cueEnd !== undefined ? { cueEnd } : {}),
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
