import type { ExportQuery } from '../../contract/exports.ts';

/** How subtitles are typeset. Columns: a wide (CJK) character takes two. */
export type SubtitleRules = {
  readonly maxColumns: number;
  readonly maxLines: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Reading speed: columns a second, spaces and speaker labels included. */
  readonly maxCps: number;
  /** Between the end of a cue and the start of the next. */
  readonly minGap: number;
  /** A shorter gap than this is closed to `minGap`: a flash of empty picture distracts. */
  readonly closeGap: number;
  /** A silence this long always ends a cue. */
  readonly pauseSeconds: number;
  /** Each word in a cue of its own, shown while it is spoken, as for karaoke. */
  readonly oneWordACue: boolean;
};

/** Frames are counted at this rate, the slowest in common use for television. */
const FRAMES_PER_SECOND = 25;
const frames = (count: number): number => count / FRAMES_PER_SECOND;

/**
 * The defaults follow the Netflix Timed Text Style Guide (general requirements) and the BBC Subtitle
 * Guidelines where both agree, with the slower 17 characters a second of the two.
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
  oneWordACue: false,
};

/** Reading speed and gaps mean nothing for single words: they follow the speech, a frame at least. */
const WORD_BY_WORD = {
  minSeconds: frames(1),
  maxCps: Number.POSITIVE_INFINITY,
  minGap: 0,
  closeGap: 0,
  oneWordACue: true,
} satisfies Partial<SubtitleRules>;

/** The rules that a request asks for; what it leaves out keeps its default. */
export const rulesOf = (
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
