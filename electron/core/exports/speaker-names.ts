import { columnsOf, isRtlLanguage, oneLine, startsRtl, truncateColumns } from './text.ts';
import type { ExportTranscript } from './types.ts';

/** Whether to name the speakers: as asked, else when they were told apart. */
export const showsSpeakers = (transcript: ExportTranscript, asked: boolean | undefined): boolean =>
  asked ?? transcript.segments.some((segment) => segment.speaker_id !== null);

/** The name that a person gave to a speaker, else "Speaker A". */
export const speakerName = (transcript: ExportTranscript, speaker: string): string => {
  const given = Object.hasOwn(transcript.speakers ?? {}, speaker)
    ? transcript.speakers?.[speaker]?.name
    : undefined;
  const name = oneLine(given ?? '');
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
  return rtl === startsRtl(short) || columnsOf(short) === 0 ? `${short}:` : `\u2068${short}\u2069:`;
};
