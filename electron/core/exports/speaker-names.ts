import { isRtlLanguage, startsRtl } from '../base/text.ts';
import { displayWidth } from './display-width.ts';
import type { ExportTranscript } from './document.ts';
import { oneLine, truncateToWidth } from './text.ts';

const givenName = ({ speakers }: ExportTranscript, speaker: string): string =>
  oneLine((Object.hasOwn(speakers ?? {}, speaker) ? speakers?.[speaker]?.name : undefined) ?? '');

/** Whether to name speakers: as requested, else if there are several or the only one has a name given by a person. */
export const showsSpeakers = (transcript: ExportTranscript, asked: boolean | undefined): boolean => {
  if (asked !== undefined) return asked;
  const speakers = new Set(transcript.segments.flatMap(({ speaker_id }) => speaker_id ?? []));
  return speakers.size > 1 || [...speakers].some((speaker) => givenName(transcript, speaker) !== '');
};

/** The name given by a person, else "Speaker A". */
export const speakerName = (transcript: ExportTranscript, speaker: string): string => {
  const name = givenName(transcript, speaker);
  if (name !== '') return name;
  const id = oneLine(speaker);
  return /^[A-Z]{1,3}$/.test(id) ? `Speaker ${id}` : id;
};

/**
 * The label "MARIA:" of a subtitle, truncated to half a line. A name of the other writing direction is isolated
 * (UAX #9), so that it does not reorder the line.
 */
export const speakerLabel = (transcript: ExportTranscript, speaker: string, maxColumns: number): string => {
  const name = speakerName(transcript, speaker).toLocaleUpperCase(transcript.language ?? undefined);
  const short = truncateToWidth(name, Math.max(2, Math.floor(maxColumns / 2) - 2));
  const rtl = isRtlLanguage(transcript.language);
  return rtl === startsRtl(short) || displayWidth(short) === 0 ? `${short}:` : `\u2068${short}\u2069:`;
};
