import type { AnalysisOptions } from '../../../contract/transcript.ts';
import type { RedactedWord } from '../../analysis/types.ts';
import type { TranscriptChange } from '../../stores/transcript-record.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { PipelineDeps } from '../deps.ts';
import type { JobContext } from '../types.ts';

type RedactNamesInput = {
  readonly language: string | null;
  /** The words redacted in the text: they are redacted in names, too. */
  readonly secrets: readonly RedactedWord[];
};

/** The extension of a recording's name, which detectors would take for a part of a value. */
const EXTENSION =
  /\.(?:3gp|aac|aiff?|amr|au|avi|caf|flac|m4[abv]|mk[av]|mov|mp[234]|mpe?g|oga|ogg|ogv|opus|ts|wave?|weba|webm|wm[av])$/iu;
/** Joins words in file names: "maria_lopez", "maria-lopez", "Mr.Lopez". */
const WORD_JOINER = /_|(?<=\p{L})(?:-(?=\p{L})|\.(?=\p{Lu}\p{Ll}))/gu;
const TOKEN_OR_WORD = /\[[A-Z_]+_[0-9a-f]{8}\]|[\p{L}\p{N}]+/gu;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Redacted words that identify somebody by themselves: names, and numbers of four digits and more. */
const knownWords = (secrets: readonly RedactedWord[]): Set<string> =>
  new Set(
    secrets.flatMap(({ word, policy }) =>
      wordsOf(word).filter((part) =>
        policy === 'person_name' ? /^\p{L}{3,}$/u.test(part) : /^\d{4,}$/u.test(part),
      ),
    ),
  );

/** Whether names are redacted with the text. */
export const redactsNames = ({ redact_pii, redact_names }: AnalysisOptions): boolean =>
  redact_pii && redact_names;

/**
 * The name and file name of a transcript, redacted like its text. The name of the uploaded file itself stays.
 * Only the fields that change.
 */
export const redactNames = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  { language, secrets }: RedactNamesInput,
): Promise<Pick<TranscriptChange, 'name' | 'fileName'>> => {
  const { options } = transcript;
  const stored = findTranscript(deps.db, transcript.id);
  if (!redactsNames(options) || stored === undefined) return {};
  const known = knownWords(secrets);
  const redact = async (name: string): Promise<string> => {
    const extension = EXTENSION.exec(name)?.[0] ?? '';
    const stem = name.slice(0, name.length - extension.length);
    const text = stem.replaceAll(WORD_JOINER, ' ');
    const { segments } = await deps.analyze({
      language,
      segments: [{ id: 0, text, start: 0, end: 1, speaker_id: null, words: [] }],
      options: {
        ...options,
        entity_detection: false,
        topics: false,
        summarization: false,
        content_safety: false,
      },
      signal,
    });
    const detected = segments.map((segment) => segment.text).join(' ');
    const redacted = (detected === text ? stem : detected).replaceAll(TOKEN_OR_WORD, (word) => {
      if (word.startsWith('[') || !wordsOf(word).some((part) => known.has(part))) return word;
      return options.redact_pii_sub === 'remove' ? '' : '*'.repeat(word.length);
    });
    return `${redacted.trim() || 'recording'}${extension}`;
  };
  const { name, fileName } = stored;
  const redacted = { name: await redact(name), fileName: fileName === null ? null : await redact(fileName) };
  // An unchanged name is not written: it may have been changed meanwhile.
  return {
    ...(redacted.name === name ? {} : { name: redacted.name }),
    ...(redacted.fileName === fileName ? {} : { fileName: redacted.fileName }),
  };
};
