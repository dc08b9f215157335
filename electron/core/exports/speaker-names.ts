import { displayWidth, isRtlLanguage, startsRtl } from '../base/text.ts';
import { oneLine, truncateColumns } from './text.ts';
import type { ExportTranscript } from './types.ts';

const givenName = ({ speakers }: ExportTranscript, speaker: string): string =>
  oneLine((Object.hasOwn(speakers ?? {}, speaker) ? speakers?.[speaker]?.name : undefined) ?? '');

/** Whether to name the speakers: as asked, else where there are several, or a person gave the only one a name. */
export const showsSpeakers = (transcript: ExportTranscript, asked: boolean | undefined): boolean => {
  if (asked !== undefined) return asked;
  const speakers = new Set(transcript.segments.flatMap(({ speaker_id }) => speaker_id ?? []));
  return speakers.size > 1 || [...speakers].some((speaker) => givenName(transcript, speaker) !== '');
};

/** The name that a person gave to a speaker, else "Speaker A". */
export const speakerName = (transcript: ExportTranscript, speaker: string): string => {
  const name = givenName(transcript, speaker);
  if (name !== '') return name;
  const id = oneLine(speaker);
  return /^[A-Z]{1,3}$/.test(id) ? `Speaker ${id}` : id;
};

/**
 * "MARIA:" as it stands before the words. Longer than half a line it is cut, so that words fit beside it.
 * A name in letters of the other direction is isolated (UAX #9), so that it cannot turn the line around.
 */
export const speakerLabel = (transcript: ExportTranscript, speaker: string, maxColumns: number): string => {
  const name = speakerName(transcript, speaker).toLocaleUpperCase(transcript.language ?? undefined);
  const short = truncateColumns(name, Math.max(2, Math.floor(maxColumns / 2) - 2));
  const rtl = isRtlLanguage(transcript.language);
  return rtl === startsRtl(short) || displayWidth(short) === 0 ? `${short}:` : `\u2068${short}\u2069:`;
};
