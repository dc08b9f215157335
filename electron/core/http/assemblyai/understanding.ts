import type { Entity } from '../../../contract/analysis.ts';
import type { AaiTranscript, AaiUnderstanding, AaiWord } from '../../../contract/assemblyai.ts';
import type { AaiCustomFormatting } from '../../../contract/assemblyai-create.ts';
import type { AnalysisOptions, Transcription } from '../../../contract/transcript.ts';
import { isNamed } from '../../base/speaker-names.ts';
import { escapeRegExp } from '../../base/text.ts';
import { extrasIn } from './extras.ts';
import { aaiUtterances, aaiWords } from './words.ts';

type Day = { readonly year: number; readonly month: number; readonly day: number };
type Format = (text: string, language: string) => string | undefined;

/** Full and short names of the months in a language, in lower case. */
const monthNames = (language: string, length: 'long' | 'short'): string[] => {
  const { format } = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => format(Date.UTC(2000, month, 1)));
};

const monthOf = (word: string, language: string): number => {
  const plain = (text: string) => text.toLowerCase().replace(/\.$/, '');
  for (const length of ['long', 'short'] as const) {
    const at = monthNames(language, length).findIndex((name) => plain(name) === plain(word));
    if (at >= 0) return at + 1;
  }
  return 0;
};

const isDay = ({ year, month, day }: Day): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};

/** A day with its year, in words or digits; undefined for anything else, such as "Friday" or "May 4th". */
const dayOf = (text: string, language: string): Day | undefined => {
  const digits = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text.trim());
  if (digits !== null) {
    const day = { year: Number(digits[1]), month: Number(digits[2]), day: Number(digits[3]) };
    return isDay(day) ? day : undefined;
  }
  const numbers = [...text.matchAll(/\d+/g)].map(([number]) => Number(number));
  const year = numbers.find((number) => number >= 1000 && number <= 9999);
  const day = numbers.find((number) => number >= 1 && number <= 31);
  const month = [...text.matchAll(/\p{L}+/gu)].map(([word]) => monthOf(word, language)).find((at) => at > 0);
  if (numbers.length !== 2 || year === undefined || day === undefined || month === undefined)
    return undefined;
  return isDay({ year, month, day }) ? { year, month, day } : undefined;
};

const formatDate =
  (pattern: string): Format =>
  (text, language) => {
    const date = dayOf(text, language);
    if (date === undefined) return undefined;
    const two = (number: number) => String(number).padStart(2, '0');
    const values: Readonly<Record<string, string>> = {
      yyyy: String(date.year).padStart(4, '0'),
      yy: two(date.year % 100),
      mmmm: monthNames(language, 'long')[date.month - 1] ?? '',
      mmm: monthNames(language, 'short')[date.month - 1] ?? '',
      mm: two(date.month),
      m: String(date.month),
      dd: two(date.day),
      d: String(date.day),
    };
    return pattern.replace(/yyyy|yy|mmmm|mmm|mm|m|dd|d/gi, (part) => values[part.toLowerCase()] ?? part);
  };

/** Replaces each x by a digit; undefined if their numbers differ. */
const formatPhone =
  (pattern: string): Format =>
  (text) => {
    const digits = [...text.replace(/\D/g, '')];
    if (digits.length !== (pattern.match(/x/gi)?.length ?? 0)) return undefined;
    return pattern.replace(/x/gi, () => digits.shift() ?? '');
  };

const formatEmail =
  (pattern: string): Format =>
  (text) => {
    const [, user, domain] = /^(\S+)@(\S+)$/.exec(text.trim()) ?? [];
    if (user === undefined || domain === undefined) return undefined;
    return pattern.replace(/username|domain(?:\.com)?/gi, (part) =>
      part.toLowerCase() === 'username' ? user : domain,
    );
  };

type Formatted = {
  /** The form of each value that was changed. */
  readonly mapping: Record<string, string>;
  readonly apply: (text: string) => string;
};

/**
 * Formats dates, phone numbers and email addresses of a text. What cannot be read for certain, such as a date without a year,
 * stays as it was said.
 */
export const formatEntities = (
  entities: readonly Entity[],
  language: string,
  { date, phone_number, email }: AaiCustomFormatting,
): Formatted => {
  const formats: Partial<Record<Entity['type'], Format>> = {
    ...(date == null ? {} : { date: formatDate(date) }),
    ...(phone_number == null ? {} : { phone_number: formatPhone(phone_number) }),
    ...(email == null ? {} : { email: formatEmail(email) }),
  };
  const pairs = entities.flatMap(({ type, text }) => {
    const formatted = formats[type]?.(text, language);
    return formatted === undefined || formatted === text ? [] : [[text, formatted] as const];
  });
  const mapping: Record<string, string> = Object.fromEntries(pairs);
  const longestFirst = Object.keys(mapping).toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map(escapeRegExp);
  const any = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
  return {
    mapping,
    apply: (text) => (pairs.length === 0 ? text : text.replace(any, (found) => mapping[found] ?? found)),
  };
};

const requestOf = (options: AnalysisOptions) => extrasIn(options)?.speech_understanding?.request ?? undefined;

/** The names of the identified speakers by label; others keep their label. */
const mappingOf = ({ speakers = {} }: Transcription): Record<string, string> =>
  Object.fromEntries(
    Object.entries(speakers).map(([label, speaker]) => [
      label,
      isNamed(label, speaker) ? speaker.name : label,
    ]),
  );

/** The words with their speakers' names, if the request asks for an identification. */
export const namedWords = (
  words: readonly AaiWord[],
  transcript: Transcription,
  options: AnalysisOptions,
): AaiWord[] => {
  if (requestOf(options)?.speaker_identification == null) return [...words];
  const names = new Map(Object.entries(mappingOf(transcript)));
  return words.map((word) => ({
    ...word,
    speaker: word.speaker === null ? null : (names.get(word.speaker) ?? word.speaker),
  }));
};

const formattingOf = (transcript: Transcription, options: AnalysisOptions) => {
  const asked = requestOf(options)?.custom_formatting;
  if (asked == null) return {};
  const language = transcript.language ?? 'en';
  const { mapping, apply } = formatEntities(transcript.entities ?? [], language, asked);
  const words = namedWords(aaiWords(transcript), transcript, options);
  const utterances = aaiUtterances(words).map((turn) => ({ ...turn, text: apply(turn.text) }));
  return {
    custom_formatting: {
      status: 'success' as const,
      mapping,
      formatted_text: apply(transcript.text),
      ...(options.diarize ? { formatted_utterances: utterances } : {}),
    },
  };
};

const responseOf = (transcript: Transcription, options: AnalysisOptions): AaiUnderstanding['response'] => ({
  ...(requestOf(options)?.speaker_identification == null
    ? {}
    : { speaker_identification: { status: 'success', mapping: mappingOf(transcript) } }),
  ...formattingOf(transcript, options),
});

/** The request for speech understanding, and its results once the transcript is completed. */
export const understandingOf = (
  transcript: Transcription,
  options: AnalysisOptions,
): Pick<AaiTranscript, 'speech_understanding'> => {
  const request = requestOf(options);
  if (request === undefined) return {};
  const isDone = transcript.status === 'completed';
  return {
    speech_understanding: { request, ...(isDone ? { response: responseOf(transcript, options) } : {}) },
  };
};
