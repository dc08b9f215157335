import { LANGUAGES } from '../../contract/languages.ts';
import type { Transcription } from '../../contract/transcript.ts';
import { spokenLanguages } from '../base/spoken-languages.ts';
import { formatLongClock } from '../base/time.ts';
import { oneLine } from './text.ts';

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
