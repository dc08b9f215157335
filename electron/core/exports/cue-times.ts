import type { SubtitleRules } from './rules.ts';
import type { TimeRange } from './timed-tokens.ts';

/** In- and out-time of a cue in whole milliseconds on the source's timeline; `endMs > startMs`. */
export type CueTimes = { readonly startMs: number; readonly endMs: number };

/**
 * When the speech of a cue starts and ends, in seconds, and the display width of its text; and the in- and out-time that a
 * person set.
 */
export type SpokenCue = {
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
export const timeCues = (cues: readonly SpokenCue[], rules: SubtitleRules, window: TimeRange): CueTimes[] => {
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
