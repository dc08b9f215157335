import { REDACTION_TOKEN } from '../../../contract/analysis.ts';
import type { AnalysisOptions } from '../../../contract/transcript.ts';
import type { RedactedWord } from '../../analysis/types.ts';
import type { Transcript, TranscriptChange } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { JobContext } from '../deps.ts';
import type { Analyzer } from '../findings/analyze.ts';

type Redact = (text: string) => Promise<string>;

/** The time in the keys of stored files, which detectors would take for a number. */
const STAMP = /_\d{8}T\d{9}Z(?=\.|$)/;

/** `storage:/{user}/` and the rest of the key. */
const STORED = /^(storage:\/?[^/]*\/)(.*)$/s;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const redactPart = async (part: string, redact: Redact): Promise<string> => {
  const stamp = STAMP.exec(part)?.[0] ?? '';
  const name = part.replace(stamp, '');
  const redacted = await redact(name);
  return redacted === name ? part : redacted;
};

/** Redacts the parts of a path; `lastPart` replaces the last one unless it is null. */
const redactPath = async (
  parts: readonly string[],
  lastPart: string | null,
  redact: Redact,
): Promise<string[]> => {
  const redacted: string[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === '') redacted.push(part);
    else redacted.push(isLast && lastPart !== null ? lastPart : await redactPart(part, redact));
  }
  return redacted;
};

const redactUrl = async (url: URL, lastPart: string | null, redact: Redact): Promise<void> => {
  const parts = url.pathname.split('/').map(decoded);
  const path = await redactPath(parts, lastPart, redact);
  if (path.some((part, index) => part !== parts[index]))
    url.pathname = path.map(encodeURIComponent).join('/');
  for (const [key, value] of [...url.searchParams]) {
    const redacted = await redact(value);
    if (redacted !== value) url.searchParams.set(key, redacted);
  }
  if ((await redact(decoded(url.hash))) !== decoded(url.hash)) url.hash = '';
};

/**
 * The address of a recording with its path and query redacted; unchanged if they hold nothing private. `lastPart` is
 * the redacted file name, null if that stays: a stored file's key spells it differently.
 */
const redactAddress = async (address: string, lastPart: string | null, redact: Redact): Promise<string> => {
  const [, owner, path] = STORED.exec(address) ?? [];
  if (owner !== undefined && path !== undefined) {
    return owner + (await redactPath(path.split('/'), lastPart, redact)).join('/');
  }
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const before = url.href;
  await redactUrl(url, lastPart, redact);
  return url.href === before ? address : url.href;
};

type RedactNamesInput = {
  readonly language: string | null;
  /** The words redacted in the text: they are redacted in names, too. */
  readonly secrets: readonly RedactedWord[];
};

type NamesDeps = { readonly db: ReadableDb; readonly analyze: Analyzer };

/** The fields to write; those that stay are absent. */
type RedactedNames = Pick<TranscriptChange, 'name' | 'fileName' | 'audioUrl'>;

/** The extension of a recording's name, which detectors would take for a part of a value. */
const EXTENSION =
  /\.(?:3gp|aac|aiff?|amr|au|avi|caf|flac|m4[abv]|mk[av]|mov|mp[234]|mpe?g|oga|ogg|ogv|opus|ts|wave?|weba|webm|wm[av])$/iu;
/** Joins words in file names: "maria_lopez", "maria-lopez", "Mr.Lopez". */
const WORD_JOINER = /_|(?<=\p{L})(?:-(?=\p{L})|\.(?=\p{Lu}\p{Ll}))/gu;
const TOKEN_OR_WORD = new RegExp(String.raw`${REDACTION_TOKEN}|[\p{L}\p{N}]+`, 'gu');
/** The name of a transcript whose own name may be private and could not be redacted. */
const NEUTRAL_NAME = 'recording';
const FAILED_NAMES_TIMEOUT_MS = 10_000;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Redacted words that identify somebody by themselves: names, and numbers of four digits and more. */
const knownWords = (secrets: readonly RedactedWord[]): Set<string> =>
  new Set(
    secrets.flatMap(({ word, policy }) => {
      const isName = policy === 'person_name' || (policy === 'redacted' && /^\P{L}*\p{Lu}/u.test(word));
      return wordsOf(word).filter((part) => (isName ? /^\p{L}{3,}$/u : /^\d{4,}$/u).test(part));
    }),
  );

/** Whether names are redacted with the text. */
export const redactsNames = ({ redact_pii, redact_names }: AnalysisOptions): boolean =>
  redact_pii && redact_names;

/** A function that redacts a name, but not its extension, like the text of the transcript. */
const nameRedactor = (
  { analyze }: Pick<NamesDeps, 'analyze'>,
  options: AnalysisOptions,
  signal: AbortSignal,
  { language, secrets }: RedactNamesInput,
) => {
  const known = knownWords(secrets);
  const nothingElse = { entity_detection: false, topics: false, summarization: false, content_safety: false };
  return async (name: string): Promise<string> => {
    const extension = EXTENSION.exec(name)?.[0] ?? '';
    const stem = name.slice(0, name.length - extension.length);
    const text = stem.replaceAll(WORD_JOINER, ' ');
    const { segments } = await analyze({
      language,
      segments: [{ id: 0, text, start: 0, end: 1, speaker_id: null, words: [] }],
      options: { ...options, ...nothingElse },
      signal,
    });
    const detected = segments.map((segment) => segment.text).join(' ');
    const redacted = (detected === text ? stem : detected).replaceAll(TOKEN_OR_WORD, (word) => {
      if (word.startsWith('[') || !wordsOf(word).some((part) => known.has(part))) return word;
      return options.redact_pii_sub === 'remove' ? '' : '*'.repeat(word.length);
    });
    return redacted === name ? name : `${redacted.trim() || NEUTRAL_NAME}${extension}`;
  };
};

/** The name, file name and address of a transcript, redacted like its text. The name of a stored file itself stays. */
export const redactNames = async (
  deps: NamesDeps,
  { transcript, signal }: Pick<JobContext, 'transcript' | 'signal'>,
  input: RedactNamesInput,
): Promise<RedactedNames> => {
  const { options } = transcript;
  const stored = findTranscript(deps.db, transcript.id);
  if (!redactsNames(options) || stored === undefined) return {};
  const redact = nameRedactor(deps, options, signal, input);
  const name = await redact(stored.name);
  const fileName = stored.fileName === null ? null : await redact(stored.fileName);
  const lastPart = fileName === stored.fileName ? null : fileName;
  const audioUrl = await redactAddress(stored.audioUrl, lastPart, redact);
  // An unchanged name is not written: it may have been changed meanwhile.
  return {
    ...(name === stored.name ? {} : { name }),
    ...(fileName === stored.fileName ? {} : { fileName }),
    ...(audioUrl === stored.audioUrl ? {} : { audioUrl }),
  };
};

/** For a transcript that was to be redacted and whose names can not be analyzed. */
export const neutralNames = ({
  options,
  fileName,
}: Pick<Transcript, 'options' | 'fileName'>): RedactedNames =>
  redactsNames(options)
    ? { name: NEUTRAL_NAME, ...(fileName === null ? {} : { fileName: NEUTRAL_NAME }) }
    : {};

/** As `redactNames`, for a job that ended before its text was redacted. Its address stays: a retry needs it. */
export const redactNamesOfFailed = async (
  deps: NamesDeps,
  transcript: Transcript,
): Promise<RedactedNames> => {
  const signal = AbortSignal.timeout(FAILED_NAMES_TIMEOUT_MS);
  try {
    const input = { language: transcript.language, secrets: [] };
    const { audioUrl: _, ...names } = await redactNames(deps, { transcript, signal }, input);
    return names;
  } catch {
    return neutralNames(transcript);
  }
};
