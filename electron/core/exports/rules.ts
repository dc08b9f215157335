import type { ExportQuery } from '../../contract/exports.ts';

/** Limits of subtitles. A wide (CJK) character takes two columns. */
export type SubtitleRules = {
  readonly maxColumns: number;
  readonly maxLines: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Reading speed in columns per second, spaces and speaker labels included. */
  readonly maxCps: number;
  /** Seconds between a cue's end and the next one's start. */
  readonly minGap: number;
  /** Gaps shorter than this shrink to `minGap`: a flash without subtitles distracts. */
  readonly closeGap: number;
  /** Seconds of silence that always end a cue. */
  readonly pauseSeconds: number;
  /** Each word is a cue, shown while it is spoken. */
  readonly oneWordPerCue: boolean;
};

/** The slowest frame rate in common use for television. */
const FRAMES_PER_SECOND = 25;
const frames = (count: number): number => count / FRAMES_PER_SECOND;

/**
 * If they agree, the Netflix Timed Text Style Guide (general requirements) and the BBC Subtitle Guidelines; of their
 * reading speeds the slower.
 */
export const DEFAULT_RULES: SubtitleRules = {
  maxColumns: 42,
  maxLines: 2,
  minSeconds: 1,
  maxSeconds: 7,
  maxCps: 17,
  minGap: frames(2),
  closeGap: frames(12),
  pauseSeconds: 1.5,
  oneWordPerCue: false,
};

/** Single words follow the speech: no reading speed, no gaps, at least one frame. */
const WORD_BY_WORD = {
  minSeconds: frames(1),
  maxCps: Number.POSITIVE_INFINITY,
  minGap: 0,
  closeGap: 0,
  oneWordPerCue: true,
} satisfies Partial<SubtitleRules>;

/** The rules of a request, with defaults for what it omits. */
export const subtitleRules = (
  query: Pick<
    ExportQuery,
    'max_chars' | 'max_lines' | 'min_seconds' | 'max_seconds' | 'max_cps' | 'min_gap' | 'words'
  >,
): SubtitleRules => {
  const maxSeconds = query.max_seconds ?? DEFAULT_RULES.maxSeconds;
  const minGap = query.min_gap ?? DEFAULT_RULES.minGap;
  return {
    ...DEFAULT_RULES,
    maxColumns: query.max_chars ?? DEFAULT_RULES.maxColumns,
    maxLines: query.max_lines ?? DEFAULT_RULES.maxLines,
    maxSeconds,
    minSeconds: Math.min(query.min_seconds ?? DEFAULT_RULES.minSeconds, maxSeconds),
    minGap,
    closeGap: Math.max(DEFAULT_RULES.closeGap, minGap),
    maxCps: query.max_cps ?? DEFAULT_RULES.maxCps,
    ...(query.words === true ? WORD_BY_WORD : {}),
  };
};
