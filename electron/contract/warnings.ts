import { z } from 'zod';

/** The sentence of every warning, with its values in braces. */
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
  words_stay_hidden:
    'Words that were to be shown again stay hidden: they were not recognized in the original recording.',
  safety_few_words: 'Content safety knows few words of this language.',
  llm_unusable: 'The local language model gave no usable summary: sentences were extracted instead.',
  llm_failed: 'The local language model failed ({reason}): sentences were extracted instead.',
  analysis_cancelled: 'The last analysis was not made: it was cancelled.',
  analysis_failed: 'The last analysis was not made: {reason}.',
  time_stamps_jump: 'The time stamps in the file jump by more than an hour: later times are too early.',
  file_ends_early: 'The file ends early or is damaged: {seconds} of {declared} seconds could be decoded.',
  file_damaged: 'The file ends early or is damaged: {seconds} seconds could be decoded.',
  first_track_silent:
    'Nobody is heard in the first of {tracks} audio tracks, which is the one that was transcribed. To transcribe all of them, turn on separate channels (multichannel).',
  wav_length_wrong:
    'The header of the file declares {declared} seconds, but more sound follows: all of it was read, {seconds} seconds.',
  verified_partly: 'The text was checked with the model {model} only up to {at}: {reason}.',
  not_verified: 'The text was not checked with the model {model}: {reason}.',
  speech_not_recognized: '{seconds} s of speech could not be recognized, at {places}.',
  repetition_removed: 'Text that came faster than anybody speaks was removed, at {places}.',
  other_language:
    'Another language ({language}) than the one that was asked for is spoken at {places}: the text there may be a translation, or wrong.',
  mishearing_kept:
    'What a term of the vocabulary is said to be misheard as stays at {places}: the recognition was sure of these words. Custom spelling, or Find and replace, changes them anyway.',
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

const CODES = Object.keys(WARNINGS).filter((code): code is WarningCode => Object.hasOwn(WARNINGS, code));

/** A warning as it is stored: worded when it is shown. A sentence is one of an earlier version that is not known any more. */
export const StoredWarning = z.union([
  z.object({ code: z.enum(CODES), values: z.record(z.string(), z.string()) }),
  z.string(),
]);
export type StoredWarning = z.output<typeof StoredWarning>;

export const warningOf = <Code extends WarningCode>(
  code: Code,
  ...[values]: ValuesArgument<Code>
): StoredWarning => ({
  code,
  values: Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)])),
});

/** Warnings without repeated ones. */
export const uniqueWarnings = (warnings: readonly StoredWarning[]): StoredWarning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values(),
];

export const Warning = z
  .object({
    code: z
      .enum(CODES)
      .nullable()
      .describe('Stays the same if the sentence is reworded. Null for a warning of another version.'),
    message: z.string().describe('The sentence, in English, as in `warnings`.'),
    values: z
      .record(z.string(), z.string())
      .describe('What the sentence says of this transcription, by name.'),
  })
  .meta({ id: 'Warning' });
export type Warning = z.output<typeof Warning>;

/** A warning with its sentence. */
export const presentWarning = (warning: StoredWarning): Warning => {
  if (typeof warning === 'string') return { code: null, message: warning, values: {} };
  const { code, values } = warning;
  const message = WARNINGS[code].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return { code, message, values };
};

const DAMAGES: ReadonlySet<WarningCode | null> = new Set(['file_ends_early', 'file_damaged']);

/** The warning that says that parts of the recording are missing, because its file is damaged. */
export const damageIn = (warnings: readonly Warning[]): Warning | undefined =>
  warnings.find(({ code }) => DAMAGES.has(code));
