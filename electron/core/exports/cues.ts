import type { ExportTranscript } from './document.ts';
import { breakCost, breakLines, endsClause, endsSentence, type SubtitleRules } from './lines.ts';
import { displayWidth } from './text.ts';
import {
  splitToWidth,
  type TextToken,
  type TimedToken,
  type TimeRange,
  timeTokens,
  transcribedRange,
} from './timed-tokens.ts';

/** Returns the label before a speaker's words at the start of a turn, or null for none. */
type LabelOf = (speaker: string) => string | null;

/** A token that no line breaks, with what the planner needs to know about it. */
type CueToken = TimedToken & {
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

/** In- and out-time of a cue in whole milliseconds on the source's timeline; `endMs > startMs`. */
type CueTimes = { readonly startMs: number; readonly endMs: number };

/**
 * When the speech of a cue starts and ends, in seconds, and the display width of its text; and the in- and out-time that a
 * person set.
 */
type SpokenCue = {
  readonly start: number;
  readonly end: number;
  readonly columns: number;
  readonly setStart?: number | undefined;
  readonly setEnd?: number | undefined;
};

const ms = (seconds: number): number => Math.round(seconds * 1000);

/** With `minGap`, the least time between two cues' starts, unless the audio is too short for it. */
const ONE_FRAME_MS = 40;

type Spacing = {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Least time between the starts of two cues, and between the end of one and the start of the next. */
  readonly slot: number;
  readonly gap: number;
};

const spacingOf = (count: number, rules: SubtitleRules, window: TimeRange): Spacing => {
  const firstMs = ms(window.start);
  const lastMs = Math.max(ms(window.end), firstMs + count);
  const wanted = ms(rules.minGap) + ONE_FRAME_MS;
  const slot = Math.min(wanted, Math.floor((lastMs - firstMs) / Math.max(1, count)));
  const gap = slot === wanted ? ms(rules.minGap) : Math.min(ms(rules.minGap), Math.floor((slot * 2) / 3));
  return { firstMs, lastMs, slot, gap };
};

/** Starts at least a slot apart. Those that a person set stay, unless they are so close to others that they cannot. */
const startsOf = (cues: readonly SpokenCue[], { firstMs, lastMs, slot, gap }: Spacing): number[] => {
  const starts: number[] = [];
  for (const { start, setStart } of cues) {
    const earliest = (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + slot;
    starts.push(setStart === undefined ? Math.max(ms(start), firstMs, earliest) : ms(setStart));
  }
  let limit = lastMs - slot + gap;
  for (let index = starts.length - 1; index >= 0; index--) {
    starts[index] = Math.min(starts[index] ?? limit, limit);
    limit = (starts[index] ?? limit) - slot;
  }
  return starts;
};

const withoutSetTimes = ({ setStart: _, setEnd: __, ...cue }: SpokenCue): SpokenCue => cue;

/**
 * A cue starts with its speech and stays until it has been read, for at most `maxSeconds` and at most until `minGap`
 * before the next cue. Words with the same time are moved apart. In- and out-times that a person set hold instead, as far
 * as cues do not overlap.
 */
const timeCues = (cues: readonly SpokenCue[], rules: SubtitleRules, window: TimeRange): CueTimes[] => {
  const spacing = spacingOf(cues.length, rules, window);
  const { firstMs, lastMs, gap } = spacing;
  const starts = startsOf(cues, spacing);
  const hasSetTimes = cues.some(({ setStart, setEnd }) => setStart !== undefined || setEnd !== undefined);
  const isOrdered = starts.every((start, index) => start > (starts[index - 1] ?? firstMs - 1));
  if (!isOrdered && hasSetTimes) return timeCues(cues.map(withoutSetTimes), rules, window);

  return cues.map((cue, index) => {
    const startMs = starts[index] ?? firstMs;
    const next = starts[index + 1];
    if (cue.setEnd !== undefined) {
      const endMs = Math.min(Math.max(ms(cue.setEnd), startMs + 1), next ?? lastMs);
      return { startMs, endMs };
    }
    const latest = Math.min(next === undefined ? lastMs : next - gap, startMs + ms(rules.maxSeconds));
    const readable = Math.ceil((cue.columns / rules.maxCps) * 1000);
    const endMs = Math.min(Math.max(ms(cue.end), startMs + Math.max(ms(rules.minSeconds), readable)), latest);
    const flash = next !== undefined && latest === next - gap && next - endMs < ms(rules.closeGap);
    return { startMs, endMs: flash ? latest : endMs };
  });
};

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
const planCues = (tokens: readonly CueToken[], rules: SubtitleRules, windowEnd: number): number[] => {
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

export type Cue = CueTimes & {
  readonly lines: readonly string[];
  readonly speaker: string | null;
  readonly language: string | null;
  /** Its first and its last word; the word is -1 if the segment's text has others than its words. */
  readonly first: WordPlace;
  readonly last: WordPlace;
};

/** A segment and a word of it, from 0. */
type WordPlace = { readonly segment: number; readonly word: number };

const placeOf = (token: CueToken | undefined, word: 'firstWord' | 'lastWord'): WordPlace => ({
  segment: token?.segment ?? -1,
  word: token?.[word] ?? -1,
});

/** Puts the speaker label before a cue's tokens. */
const withSpeakerLabel = (tokens: readonly CueToken[]): readonly TextToken[] => {
  const [first, ...rest] = tokens;
  return first === undefined || first.label === null
    ? tokens
    : [first.label, { ...first, hasSpaceBefore: true }, ...rest];
};

/**
 * The subtitles of a transcript. Their words are exactly the transcript's, in order; cues do not overlap and lie
 * inside the transcribed range.
 * @param labelOf labels take room on the first line and count towards the reading speed.
 */
export const makeCues = (
  transcript: ExportTranscript,
  rules: SubtitleRules,
  labelOf: LabelOf = () => null,
): Cue[] => {
  const tokens = prepareTokens(transcript, rules, labelOf);
  const window = transcribedRange(transcript);
  let from = 0;
  const drafts = planCues(tokens, rules, window.end).map((end) => {
    const cue = tokens.slice(from, end);
    from = end;
    const lines = breakLines(withSpeakerLabel(cue), rules.maxColumns);
    const columns = lines.reduce((sum, line) => sum + displayWidth(line), lines.length - 1);
    const [first] = cue;
    return {
      start: first?.start ?? window.start,
      end: cue.at(-1)?.end ?? window.end,
      columns,
      lines,
      speaker: first?.speaker ?? null,
      language: first?.language ?? null,
      setStart: first?.cueStart,
      setEnd: cue.at(-1)?.cueEnd,
      first: placeOf(first, 'firstWord'),
      last: placeOf(cue.at(-1), 'lastWord'),
    };
  });
  const times = timeCues(drafts, rules, window);
  return drafts.map(({ lines, speaker, language, first, last }, index) => ({
    lines,
    speaker,
    language,
    first,
    last,
    ...(times[index] ?? { startMs: 0, endMs: 0 }),
  }));
};
