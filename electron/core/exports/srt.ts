import type { ExportQuery } from '../../contract/exports.ts';
import { isRtlLanguage, startsRtl } from '../base/text.ts';
import { formatTimestamp } from '../base/time.ts';
import { makeCues } from './cues.ts';
import { subtitleRules } from './rules.ts';
import { showsSpeakers, speakerLabel } from './speaker-names.ts';
import type { ExportTranscript } from './types.ts';

const RIGHT_TO_LEFT_MARK = '\u200f';
const WORD_JOINER = '\u2060';

/**
 * Marks a line of a right-to-left transcript that starts with another script, so that players put its punctuation on
 * the correct side.
 */
export const withDirectionMark = (line: string, rtl: boolean): string =>
  rtl && !startsRtl(line) ? RIGHT_TO_LEFT_MARK + line : line;

/** SubRip has no escapes: an invisible word joiner (U+2060) breaks up markup and time lines inside the text. */
const neutralizeMarkup = (line: string): string =>
  line
    .replaceAll('-->', `--${WORD_JOINER}>`)
    .replace(/<(?=[/a-z])/gi, `<${WORD_JOINER}`)
    .replace(/\{(?=[\\a-z])/gi, `{${WORD_JOINER}`);

/** SubRip: UTF-8 without a byte order mark, CRLF line ends like those of the SubRip program. */
export const renderSrt = (transcript: ExportTranscript, query: ExportQuery): string => {
  const rules = subtitleRules(query);
  const named = showsSpeakers(transcript, query.speakers);
  const labelOf = (speaker: string) => (named ? speakerLabel(transcript, speaker, rules.maxColumns) : null);
  return makeCues(transcript, rules, labelOf)
    .map((cue, index) => {
      const times = `${formatTimestamp(cue.startMs, ',')} --> ${formatTimestamp(cue.endMs, ',')}`;
      const rtl = isRtlLanguage(cue.language ?? transcript.language);
      const lines = cue.lines.map((line) => withDirectionMark(neutralizeMarkup(line), rtl));
      return [index + 1, times, ...lines, '', ''].join('\r\n');
    })
    .join('');
};
