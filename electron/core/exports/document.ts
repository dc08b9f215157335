import { LANGUAGES } from '../../contract/languages.ts';
import type { Transcription } from '../../contract/transcript.ts';
import { spokenLanguages } from '../base/spoken-languages.ts';
import { isRtlLanguage, startsRtl } from '../base/text.ts';
import { formatLongClock } from '../base/time.ts';
import { DEFAULT_RULES, endsSentence, joinTokens } from './lines.ts';
import { displayWidth, oneLine, truncateToWidth } from './text.ts';
import { type TimedToken, timeTokens } from './timed-tokens.ts';

/** Running text of one speaker in one language; times are seconds. */
type Paragraph = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  /** The code of its language, if that differs from the paragraph before; of the first, from the transcript's. */
  readonly newLanguage: string | null;
};

/** A paragraph ends with the sentence that exceeds this. */
const MAX_PARAGRAPH_CHARACTERS = 600;

const startsParagraph = (before: TimedToken, token: TimedToken, length: number): boolean => {
  if (before.speaker !== token.speaker) return true;
  if (token.startsParagraph !== undefined) return token.startsParagraph;
  if (before.language !== token.language) return true;
  if (!endsSentence(before.text)) return false;
  return length >= MAX_PARAGRAPH_CHARACTERS || token.start - before.end >= DEFAULT_RULES.pauseSeconds;
};

/**
 * Splits a transcript at changes of speaker, where a person said so, and elsewhere at changes of language, and after
 * sentences before a long pause or past the length limit.
 */
export const makeParagraphs = (transcript: ExportTranscript): Paragraph[] => {
  const groups: TimedToken[][] = [];
  let length = 0;
  for (const token of timeTokens(transcript)) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group === undefined || before === undefined || startsParagraph(before, token, length)) {
      groups.push([token]);
      length = token.text.length;
    } else {
      group.push(token);
      length += token.text.length + 1;
    }
  }
  let { language } = transcript;
  return groups.flatMap((group) => {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) return [];
    const newLanguage = first.language === language ? null : first.language;
    language = first.language ?? language;
    return [
      { text: joinTokens(group), start: first.start, end: last.end, speaker: first.speaker, newLanguage },
    ];
  });
};

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
