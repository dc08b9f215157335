import type { ExportQuery } from '../../contract/exports.ts';
import { roundMs } from '../base/numbers.ts';
import { spokenLanguages } from '../base/spoken-languages.ts';
import { type ExportTranscript, speakerName } from './document.ts';
import { cleanText } from './text.ts';

/** First characters of formulas: OWASP's list (CSV injection) and their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/** A text field of RFC 4180; an apostrophe keeps spreadsheets from running it as a formula. */
export const csvText = (text: string): string => {
  const clean = cleanText(text);
  const safe = FORMULA.test(clean) ? `'${clean}` : clean;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const row = (fields: readonly (string | number)[]): string =>
  `${fields.map((field) => (typeof field === 'number' ? String(field) : csvText(field))).join(',')}\r\n`;

/**
 * Comma-separated values (RFC 4180: CRLF; UTF-8 without a byte order mark): a row per segment, or per word with
 * `words`. Times are seconds. `channel` is there if a recording's channels were recognized by themselves,
 * `language` if several are spoken.
 */
export const renderCsv = (transcript: ExportTranscript, query: ExportQuery): string => {
  const nameOf = (speaker: string | null) => (speaker === null ? '' : speakerName(transcript, speaker));
  const hasChannels = transcript.segments.some(({ channel }) => channel !== undefined);
  const inChannel = (channel: number | undefined) => (hasChannels ? [channel ?? ''] : []);
  const hasLanguages = spokenLanguages(transcript.segments).length > 1;
  const inLanguage = (language: string | null) => (hasLanguages ? [language ?? ''] : []);
  const columns = [
    'segment_id',
    'start',
    'end',
    'speaker',
    ...(hasChannels ? ['channel'] : []),
    ...(hasLanguages ? ['language'] : []),
  ];
  if (query.words === true) {
    const rows = transcript.segments.flatMap((segment) =>
      (segment.words ?? []).map((word) => {
        const speaker = nameOf(word.speaker_id ?? segment.speaker_id);
        return row([
          segment.id,
          roundMs(word.start),
          roundMs(word.end),
          speaker,
          ...inChannel(segment.channel),
          ...inLanguage(segment.language),
          word.word.trim(),
          word.confidence,
        ]);
      }),
    );
    return row([...columns, 'word', 'confidence']) + rows.join('');
  }
  const rows = transcript.segments.map((segment) =>
    row([
      segment.id,
      roundMs(segment.start),
      roundMs(segment.end),
      nameOf(segment.speaker_id),
      ...inChannel(segment.channel),
      ...inLanguage(segment.language),
      segment.text.trim(),
    ]),
  );
  return row([...columns, 'text']) + rows.join('');
};
