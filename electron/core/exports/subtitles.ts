import type { z } from 'zod';
import type { ExportQuery, Subtitles, SubtitlesQuery } from '../../contract/exports.ts';
import { isRtlLanguage, startsRtl } from '../base/text.ts';
import { formatTimestamp } from '../base/time.ts';
import { makeCues } from './cues.ts';
import { type ExportTranscript, showsSpeakers, speakerLabel, speakerName } from './document.ts';
import { subtitleRules } from './lines.ts';

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
