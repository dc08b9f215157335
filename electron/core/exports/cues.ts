/**
 * Splits a transcript into subtitle cues. Hard limits: lines and columns, the longest duration, one speaker and language
 * per cue, no cue across a long pause. Soft limits: the shortest duration, the reading speed, whole clauses, no cue of one word.
 */

import { planCues } from './cue-plan.ts';
import { type CueTimes, timeCues } from './cue-times.ts';
import { type CueToken, type LabelOf, prepareTokens } from './cue-tokens.ts';
import { displayWidth } from './display-width.ts';
import { breakLines } from './lines.ts';
import type { SubtitleRules } from './rules.ts';
import { transcribedRange } from './timed-tokens.ts';
import type { TextToken } from './tokens.ts';
import type { ExportTranscript } from './types.ts';

export type Cue = CueTimes & {
  readonly lines: readonly string[];
  readonly speaker: string | null;
  readonly language: string | null;
  /** Its first and its last word; the word is -1 where the segment's text has others than its words. */
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
