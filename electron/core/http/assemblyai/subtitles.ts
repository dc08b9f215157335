import type { AaiSubtitlesQuery } from '../../../contract/assemblyai.ts';
import type { ExportQuery } from '../../../contract/exports.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import { renderSrt, renderVtt } from '../../exports/subtitles.ts';

type Format = 'srt' | 'vtt';

/** Characters of a line by default. */
const LINE_CHARS = 42;

/** AssemblyAI limits the characters of a whole caption; ours are limited per line. */
const captionLimits = (charsPerCaption: number): Pick<ExportQuery, 'max_lines' | 'max_chars'> => {
  const lines = Math.min(4, Math.ceil(charsPerCaption / LINE_CHARS));
  return {
    max_lines: lines,
    max_chars: Math.min(200, Math.floor((charsPerCaption - lines + 1) / lines)),
  };
};

/** Subtitles without speaker names, as AssemblyAI's. */
export const aaiSubtitles = (
  transcript: Transcription,
  format: Format,
  { chars_per_caption }: AaiSubtitlesQuery,
): string => {
  const query: ExportQuery = {
    format,
    speakers: false,
    ...(chars_per_caption === undefined ? {} : captionLimits(chars_per_caption)),
  };
  return format === 'srt' ? renderSrt(transcript, query) : renderVtt(transcript, query);
};
