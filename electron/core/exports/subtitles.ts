import type { z } from 'zod';
import type { Subtitles, SubtitlesQuery } from '../../contract/exports.ts';
import { makeCues } from './cues.ts';
import { subtitleRules } from './rules.ts';
import type { ExportTranscript } from './types.ts';

type Place = { readonly segment: number; readonly word: number };
const placeOf = ({ segment, word }: Place) => ({ segment, word: word < 0 ? null : word });

/** The subtitles of a transcript that show between two seconds. */
export const presentSubtitles = (
  transcript: ExportTranscript,
  { from = 0, to = Number.POSITIVE_INFINITY, ...layout }: SubtitlesQuery,
): z.input<typeof Subtitles>['data'] => ({
  subtitles: makeCues(transcript, subtitleRules(layout))
    .filter(({ startMs, endMs }) => endMs > from * 1000 && startMs < to * 1000)
    .map(({ startMs, endMs, lines, speaker, first, last }) => ({
      start: startMs / 1000,
      end: endMs / 1000,
      lines: [...lines],
      speaker_id: speaker,
      first: placeOf(first),
      last: placeOf(last),
    })),
});
