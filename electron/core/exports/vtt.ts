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

const isLanguageTag = (language: string | null): language is string =>
  language !== null && /^[a-z]{2,3}$/.test(language);

/**
 * WebVTT (https://www.w3.org/TR/webvtt1/). The most spoken language is on the header line, which parsers skip; others are
 * language spans. Speakers are voice spans, which a style sheet can select.
 */
export const renderVtt = (transcript: ExportTranscript, query: ExportQuery): string => {
  const named = showsSpeakers(transcript, query.speakers);
  const language = isLanguageTag(transcript.language) ? transcript.language : 'und';
  const cues = makeCues(transcript, subtitleRules(query)).map((cue, index) => {
    const voice =
      named && cue.speaker !== null ? `<v ${escapeText(speakerName(transcript, cue.speaker))}>` : '';
    const rtl = isRtlLanguage(cue.language ?? transcript.language);
    const text = cue.lines.map((line) => escapeText(withDirectionMark(line, rtl))).join('\n');
    const isOther = isLanguageTag(cue.language) && cue.language !== transcript.language;
    const marked = isOther ? `<lang ${cue.language}>${text}</lang>` : text;
    return `${index + 1}\n${formatTimestamp(cue.startMs, '.')} --> ${formatTimestamp(cue.endMs, '.')}\n${voice}${marked}\n`;
  });
  return [`WEBVTT Kind: captions; Language: ${language}\n`, ...cues].join('\n');
};
