import type { ExportQuery } from '../../contract/exports.ts';
import { isRtlLanguage } from '../base/text.ts';
import { formatTimestamp } from '../base/time.ts';
import { makeCues } from './cues.ts';
import { rulesOf } from './rules.ts';
import { showsSpeakers, speakerName } from './speaker-names.ts';
import { directed } from './srt.ts';
import type { ExportTranscript } from './types.ts';

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * WebVTT (https://www.w3.org/TR/webvtt1/). The language stands on the header line, where every parser skips
 * it. Speakers are voice spans on each cue, so that a style sheet can tell them apart.
 */
export const renderVtt = (transcript: ExportTranscript, query: ExportQuery): string => {
  const named = showsSpeakers(transcript, query.speakers);
  const rtl = isRtlLanguage(transcript.language);
  const language = /^[a-z]{2,3}$/.test(transcript.language ?? '') ? transcript.language : 'und';
  const cues = makeCues(transcript, rulesOf(query)).map((cue, index) => {
    const voice =
      named && cue.speaker !== null ? `<v ${escapeText(speakerName(transcript, cue.speaker))}>` : '';
    const text = cue.lines.map((line) => escapeText(directed(line, rtl))).join('\n');
    return `${index + 1}\n${formatTimestamp(cue.startMs, '.')} --> ${formatTimestamp(cue.endMs, '.')}\n${voice}${text}\n`;
  });
  return [`WEBVTT Kind: captions; Language: ${language}\n`, ...cues].join('\n');
};
