import { z } from 'zod';

/**
 * The sentence of every warning, with its values in braces. A sentence that another one could be taken for stands after it.
 */
export const WARNINGS = {
  model_stands_in:
    'The model {model}, held to English, answered for nano, whose own is not installed. Install it with: earshot models install {wanted}',
  range_too_long:
    'The sound of this range is not kept for playback: it is longer than three hours, and nothing else of the recording was fetched.',
  prompt_ignored: 'The prompt had no effect: the model {model} does not take one.',
  voice_sample_unusable:
    'The sample of {name}’s voice could not be used: give a recording of 2 to 10 seconds in which only {name} speaks.',
  speakers_audio_gone: 'Speakers were not identified: the audio is no longer stored.',
  speakers_engine_crashed:
    'Speakers were not identified: the diarization process crashed. The text is complete.',
  speakers_not_decoded:
    'Speakers were not identified: the audio could not be read again. The text is complete.',
  speakers_model_missing:
    'Speakers were not identified: the model {model} is not installed. Install it with: earshot models install {model}',
  speaker_name_dropped:
    "The name of speaker {speaker} is gone: nobody says most of that speaker's words any more.",
  no_english_summary: 'No English summary was made: {reason}.',
  summary_of_translation:
    'The summary was made from a translation by the speech model, which makes mistakes of its own.',
  source_kept:
    'The stored file that was transcribed is kept, though it was to be deleted: another transcript was made from it.',
  source_deleted: 'The stored file that this transcript was made from was deleted, and its audio with it.',
  audio_not_bleepable: 'No audio is kept for playback: there is none on this machine that could be bleeped.',
  audio_not_covered:
    'The audio is not kept: the private data in it could not be covered, and nothing unredacted may stay.',
  bleeps_not_checked:
    'The bleeped audio was not recognized again, so nobody checked that nothing private is heard.',
  value_audible: 'A redacted value may still be heard in the audio: see redaction_report.',
  topics_english_only: 'Topics are detected in English only; key phrases are given for this language.',
  names_by_lists:
    'Names of people, places and organizations are found less surely in this language than in English.',
  names_written_only:
    'In this language only written e-mail addresses, URLs, numbers and listed names are found.',
  private_data_by_rules:
    'Private data was looked for by rules alone, which miss many names and addresses: the model did not run ({reason}). Read the text before you share it, or run the analysis again.',
  safety_few_words: 'Content safety knows few words of this language.',
  llm_unusable: 'The local language model gave no usable summary: sentences were extracted instead.',
  llm_failed: 'The local language model failed ({reason}): sentences were extracted instead.',
  analysis_cancelled: 'The last analysis was not made: it was cancelled.',
  analysis_failed: 'The last analysis was not made: {reason}.',
  time_stamps_jump: 'The time stamps in the file jump by more than an hour: later times are too early.',
  file_ends_early: 'The file ends early or is damaged: {seconds} of {declared} seconds could be decoded.',
  file_damaged: 'The file ends early or is damaged: {seconds} seconds could be decoded.',
  wav_length_wrong:
    'The header of the file declares {declared} seconds, but more sound follows: all of it was read, {seconds} seconds.',
  verified_partly: 'The text was checked with the model {model} only up to {at}: {reason}.',
  not_verified: 'The text was not checked with the model {model}: {reason}.',
  speech_not_recognized: '{seconds} s of speech could not be recognized, at {places}.',
  repetition_removed: 'Text that came faster than anybody speaks was removed, at {places}.',
  other_language:
    'Another language ({language}) than the one that was asked for is spoken at {places}: the text there may be a translation, or wrong.',
  words_missing: 'The model {model} heard words where the text has none, at {places}.',
  english_written:
    'The model {model} wrote English at {places}, although the recording is in another language ({language}). A Whisper model keeps to one language.',
} as const;

export type WarningCode = keyof typeof WARNINGS;

type ValueNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never;
type Values<Code extends WarningCode> = Readonly<
  Record<ValueNames<(typeof WARNINGS)[Code]>, string | number>
>;
type ValuesArgument<Code extends WarningCode> = keyof Values<Code> extends never ? [] : [Values<Code>];

const PLACE = /\{(\w+)\}/g;

/** The sentence of a warning. */
export const warningText = <Code extends WarningCode>(
  code: Code,
  ...[values]: ValuesArgument<Code>
): string => {
  const texts = new Map<string, unknown>(Object.entries(values ?? {}));
  return WARNINGS[code].replace(PLACE, (_, name: string) => String(texts.get(name)));
};

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a sentence, with its values as named groups; a value that occurs twice is the same. */
const patternOf = (sentence: string): RegExp => {
  const seen = new Set<string>();
  const parts = sentence.split(PLACE).map((part, index) => {
    if (index % 2 === 0) return escapePattern(part);
    if (seen.has(part)) return `\\k<${part}>`;
    seen.add(part);
    return `(?<${part}>.*)`;
  });
  return new RegExp(`^${parts.join('')}$`, 's');
};

const CODES = Object.keys(WARNINGS).filter((code): code is WarningCode => Object.hasOwn(WARNINGS, code));
const PATTERNS = CODES.map((code) => ({ code, pattern: patternOf(WARNINGS[code]) }));

export const Warning = z
  .object({
    code: z
      .enum(CODES)
      .nullable()
      .describe('Stays the same where the sentence is reworded. Null for a warning of another version.'),
    message: z.string().describe('The sentence, in English, as in `warnings`.'),
    values: z
      .record(z.string(), z.string())
      .describe('What the sentence says of this transcription, by name.'),
  })
  .meta({ id: 'Warning' });
export type Warning = z.output<typeof Warning>;

/** The code and the values of a warning's sentence, in which form it is stored. */
export const describeWarning = (message: string): Warning => {
  for (const { code, pattern } of PATTERNS) {
    const match = pattern.exec(message);
    if (match !== null) return { code, message, values: { ...match.groups } };
  }
  return { code: null, message, values: {} };
};
