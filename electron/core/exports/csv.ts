import type { ExportQuery } from '../../contract/exports.ts';
import { roundMs } from '../base/numbers.ts';
import { speakerName } from './speaker-names.ts';
import { cleanText } from './text.ts';
import type { ExportTranscript } from './types.ts';

/** What spreadsheet programs take for a formula: OWASP's list, and the full-width forms of the same marks. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/** A text field of RFC 4180, with an apostrophe before what a spreadsheet would run as a formula. */
export const csvText = (text: string): string => {
  const clean = cleanText(text);
  const safe = FORMULA.test(clean) ? `'${clean}` : clean;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const row = (fields: readonly (string | number)[]): string =>
  `${fields.map((field) => (typeof field === 'number' ? String(field) : csvText(field))).join(',')}\r\n`;

/**
 * Comma-separated values after RFC 4180 (CRLF, UTF-8, no byte order mark): a row a segment, or with `words` a
 * row a word. Times in seconds.
 */
export const renderCsv = (transcript: ExportTranscript, query: ExportQuery): string => {
  const nameOf = (speaker: string | null) => (speaker === null ? '' : speakerName(transcript, speaker));
  if (query.words === true) {
    const rows = transcript.segments.flatMap((segment) =>
      (segment.words ?? []).map((word) => {
        const speaker = nameOf(word.speaker_id ?? segment.speaker_id);
        return row([
          segment.id,
          roundMs(word.start),
          roundMs(word.end),
          speaker,
          word.word.trim(),
          word.confidence,
        ]);
      }),
    );
    return row(['segment_id', 'start', 'end', 'speaker', 'word', 'confidence']) + rows.join('');
  }
  const rows = transcript.segments.map((segment) =>
    row([
      segment.id,
      roundMs(segment.start),
      roundMs(segment.end),
      nameOf(segment.speaker_id),
      segment.text.trim(),
    ]),
  );
  return row(['segment_id', 'start', 'end', 'speaker', 'text']) + rows.join('');
};
