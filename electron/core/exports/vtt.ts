import type { ExportQuery } from '../../contract/exports.ts';
import { isRtlLanguage } from '../base/text.ts';
import { formatTimestamp } from '../base/time.ts';
import { makeCues } from './cues.ts';
import { subtitleRules } from './rules.ts';
import { showsSpeakers, speakerName } from './speaker-names.ts';
import { withDirectionMark } from './srt.ts';
import type { ExportTranscript } from './types.ts';

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * WebVTT (https://www.w3.org/TR/webvtt1/). The language is on the header line, which parsers skip. Speakers are voice
 * spans, which a style sheet can select.
 */
export const renderVtt = (transcript: ExportTranscript, query: ExportQuery): string => {
  const named = showsSpeakers(transcript, query.speakers);
  const rtl = isRtlLanguage(transcript.language);
  const language = /^[a-z]{2,3}$/.test(transcript.language ?? '') ? transcript.language : 'und';
  const cues = makeCues(transcript, subtitleRules(query)).map((cue, index) => {
    const voice =
      named && cue.speaker !== null ? `<v ${escapeText(speakerName(transcript, cue.speaker))}>` : '';
    const text = cue.lines.map((line) => escapeText(withDirectionMark(line, rtl))).join('\n');
    return `${index + 1}\n${formatTimestamp(cue.startMs, '.')} --> ${formatTimestamp(cue.endMs, '.')}\n${voice}${text}\n`;
  });
  return [`WEBVTT Kind: captions; Language: ${language}\n`, ...cues].join('\n');
};
