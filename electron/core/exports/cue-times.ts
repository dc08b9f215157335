import type { SubtitleRules } from './rules.ts';
import type { TimeRange } from './timed-tokens.ts';

/** In- and out-time of a cue in whole milliseconds on the source's timeline; `endMs > startMs`. */
export type CueTimes = { readonly startMs: number; readonly endMs: number };

/** When the speech of a cue starts and ends, in seconds, and the display width of its text. */
export type SpokenCue = { readonly start: number; readonly end: number; readonly columns: number };

const ms = (seconds: number): number => Math.round(seconds * 1000);

/** With `minGap`, the least time between two cues' starts, unless the audio is too short for it. */
const ONE_FRAME_MS = 40;

/**
 * A cue starts with its speech and stays until it has been read, for at most `maxSeconds` and at most until `minGap`
 * before the next cue. Words with the same time are moved apart.
 */
export const timeCues = (cues: readonly SpokenCue[], rules: SubtitleRules, window: TimeRange): CueTimes[] => {
  const firstMs = ms(window.start);
  const lastMs = Math.max(ms(window.end), firstMs + cues.length);
  const wanted = ms(rules.minGap) + ONE_FRAME_MS;
  const slot = Math.min(wanted, Math.floor((lastMs - firstMs) / Math.max(1, cues.length)));
  const gap = slot === wanted ? ms(rules.minGap) : Math.min(ms(rules.minGap), Math.floor((slot * 2) / 3));

  const starts: number[] = [];
  for (const cue of cues)
    starts.push(Math.max(ms(cue.start), firstMs, (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + slot));
  let limit = lastMs - slot + gap;
  for (let index = starts.length - 1; index >= 0; index--) {
    starts[index] = Math.min(starts[index] ?? limit, limit);
    limit = (starts[index] ?? limit) - slot;
  }

  return cues.map((cue, index) => {
    const startMs = starts[index] ?? firstMs;
    const next = starts[index + 1];
    const latest = Math.min(next === undefined ? lastMs : next - gap, startMs + ms(rules.maxSeconds));
    const readable = Math.ceil((cue.columns / rules.maxCps) * 1000);
    const endMs = Math.min(Math.max(ms(cue.end), startMs + Math.max(ms(rules.minSeconds), readable)), latest);
    const flash = next !== undefined && latest === next - gap && next - endMs < ms(rules.closeGap);
    return { startMs, endMs: flash ? latest : endMs };
  });
};
