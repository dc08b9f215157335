import { LANGUAGES } from '../../contract/languages.ts';
import type { Transcription } from '../../contract/transcript.ts';
import { spokenLanguages } from '../base/spoken-languages.ts';
import { isRtlLanguage, startsRtl } from '../base/text.ts';
import { formatLongClock } from '../base/time.ts';
import { displayWidth } from './display-width.ts';
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

/**
 * The input of an export; a `Transcription` fits. With words, subtitles follow the speech; without, they are timed by
 * the length of the text. Times are seconds on the source's timeline.
 */
export type ExportTranscript = Pick<
  Transcription,
  'id' | 'name' | 'language' | 'duration' | 'model_id' | 'created_at' | 'segments' | 'warnings'
> &
  Partial<Pick<Transcription, 'audio_start_from' | 'summary' | 'topics' | 'key_phrases'>> & {
    speakers?: Readonly<Record<string, { readonly name: string }>>;
  };

export type RenderedExport = {
  readonly body: string | Uint8Array;
  /** With its charset if the format is text. */
  readonly mediaType: string;
  /** Valid on every file system; not encoded for a header. */
  readonly fileName: string;
};

/** The title of Markdown and Word documents. */
export const documentTitle = (transcript: ExportTranscript): string =>
  oneLine(transcript.name) || 'Transcript';

const NAMES: Readonly<Record<string, string>> = LANGUAGES;

/** The English name of a language, or its code if it has none. */
export const languageName = (code: string): string => NAMES[code] ?? oneLine(code);

const languageFact = ({ language, segments }: ExportTranscript): [label: string, value: string][] => {
  const spoken = spokenLanguages(segments);
  if (spoken.length > 1) {
    const shares = spoken.map((each) => `${languageName(each.language)} ${Math.round(100 * each.share)} %`);
    return [['Languages', shares.join(', ')]];
  }
  return language === null ? [] : [['Language', languageName(language)]];
};

/** As this machine's clock shows it: `2026-11-20 18:45`. */
const localTime = (date: Date): string => {
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
};

export const documentFacts = (transcript: ExportTranscript): [label: string, value: string][] => {
  const facts: [string, string][] = [
    ['Date', localTime(new Date(transcript.created_at))],
    ['Duration', formatLongClock(transcript.duration)],
    ...languageFact(transcript),
  ];
  if (transcript.model_id !== null) facts.push(['Model', oneLine(transcript.model_id)]);
  if (transcript.topics?.length) facts.push(['Topics', transcript.topics.map(oneLine).join(', ')]);
  return facts;
};

export type SummaryLine = { readonly kind: 'heading' | 'bullet' | 'text'; readonly text: string };

/** Parses the lines of a summary of any type. */
export const summaryLines = (summary: string): SummaryLine[] =>
  summary
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line): SummaryLine => {
      const heading = /^\s*#{1,6}\s+(.*)$/u.exec(line)?.[1];
      if (heading !== undefined) return { kind: 'heading', text: oneLine(heading) };
      const bullet = /^\s*[•*-]\s+(.*)$/u.exec(line)?.[1];
      if (bullet !== undefined) return { kind: 'bullet', text: oneLine(bullet) };
      return { kind: 'text', text: oneLine(line) };
    })
    .filter((line) => line.text !== '');
