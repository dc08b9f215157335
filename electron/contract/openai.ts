import { z } from 'zod';
import { queryNumber } from './common.ts';
import { LANGUAGE_CODES, languageOf, languageOfTag } from './languages.ts';
import { LanguageCode, LanguageOrAuto, PROMPT_LENGTH, SpeakerName } from './recognition.ts';

/**
 * The audio endpoints of OpenAI's API (https://platform.openai.com/docs/api-reference/audio). Its clients work with this
 * server's base URL and key.
 */

/** The number of speakers that OpenAI's API takes names of. */
export const MAX_KNOWN_SPEAKERS = 4;

export const OPENAI_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type OpenAiFormat = (typeof OPENAI_FORMATS)[number];

/**
 * Fields of other servers in OpenAI's form, and of OpenAI's own for other models, which the engine decides itself: taken and
 * ignored.
 */
export const IGNORED_FIELDS = [
  ...['batch_size', 'beam_size', 'best_of', 'compression_ratio_threshold', 'condition_on_previous_text'],
  ...[
    'frequency_penalty',
    'length_penalty',
    'log_prob_threshold',
    'logprob_threshold',
    'max_completion_tokens',
  ],
  ...['min_p', 'no_speech_threshold', 'patience', 'presence_penalty', 'repetition_penalty', 'seed'],
  ...['suppress_tokens', 'top_k', 'top_p', 'user', 'vad_filter', 'vad_parameters', 'without_timestamps'],
] as const;

const BOOLEANS = new Map([
  ...['true', '1', 'yes', 'on'].map((text): [string, boolean] => [text, true]),
  ...['false', '0', 'no', 'off'].map((text): [string, boolean] => [text, false]),
]);
/** As Python and shells write it, too. */
export const FormBoolean = z.preprocess(
  (value) => (typeof value === 'string' ? (BOOLEANS.get(value.toLowerCase()) ?? value) : value),
  z.boolean(),
);

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: left for the schema to refuse.
    return text;
  }
};

/** A list that was sent as one field: as JSON, or as text separated by commas. */
const formList = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    return value.startsWith('[') ? parsedJson(value) : value.split(',').map((part) => part.trim());
  }, schema);

/** An object in a form field: its fields were sent as `name[field]`, or it was sent as JSON. */
const formObject = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.startsWith('{') ? parsedJson(value) : value),
    schema,
  );

export const languageIn = (schema: z.ZodType<string, string>, toCode: (text: string) => string) =>
  z.preprocess((value) => (typeof value === 'string' ? toCode(value) : value), schema);

const shared = {
  model: z
    .string()
    .min(1)
    .max(200)
    .default('mini')
    .describe(
      '`whisper-1` and `gpt-4o-mini-transcribe` are `mini`; `gpt-transcribe`, `gpt-4o-transcribe` and `gpt-4o-transcribe-diarize` are `pro`; otherwise `nano`, `mini`, `pro`, the id of an installed model, or its name elsewhere, such as `openai/whisper-small` or `Systran/faster-whisper-large-v3`.',
    ),
  language: languageIn(LanguageOrAuto, languageOf)
    .optional()
    .describe('A code of ISO 639, with or without a region, or an English name; `auto`: it is detected.'),
  prompt: z
    .string()
    .optional()
    .describe(
      `A list of names and terms, which becomes the vocabulary; or the preceding text, of which the last ${PROMPT_LENGTH} characters count.`,
    ),
  initial_prompt: z.string().optional().describe('Another name of `prompt`.'),
  hotwords: formList(z.array(z.string().max(200)).max(1000))
    .optional()
    .describe('Words and names that may occur, separated by commas: our vocabulary.'),
  temperature: queryNumber(z.number().min(0).max(1))
    .optional()
    .describe('Without effect: the engine starts at 0 and raises it when decoding fails.'),
};

const SpeakerLimit = queryNumber(z.int().min(1).max(32)).optional();

const VadConfig = z.strictObject({
  type: z.literal('server_vad'),
  prefix_padding_ms: queryNumber(z.number().min(0)).optional(),
  silence_duration_ms: queryNumber(z.number().min(0)).optional(),
  threshold: queryNumber(z.number().min(0).max(1)).optional(),
});

export const OpenAiTranscriptionForm = z.strictObject({
  ...shared,
  languages: formList(
    z
      .array(languageIn(LanguageCode, (text) => languageOfTag(languageOf(text))))
      .min(1)
      .max(LANGUAGE_CODES.length),
  )
    .optional()
    .describe('The languages that the recording may be in.'),
  keywords: formList(z.array(z.string().min(1).max(200)).max(1000))
    .optional()
    .describe('Words and names that may occur: our vocabulary.'),
  known_speaker_names: formList(z.array(SpeakerName).min(1).max(MAX_KNOWN_SPEAKERS))
    .optional()
    .describe('For speakers: the people who may speak. Those who are recognized get their names.'),
  known_speaker_references: z
    .array(z.string())
    .max(MAX_KNOWN_SPEAKERS)
    .optional()
    .describe('A sample of each voice, of 2 to 10 seconds, as a `data:` URL.'),
  include: formList(z.array(z.enum(['logprobs'])).max(1))
    .default([])
    .describe('`logprobs`, for `json`: the logarithm of each word’s confidence.'),
  response_format: z.enum(OPENAI_FORMATS).default('json'),
  timestamp_granularities: formList(z.array(z.enum(['word', 'segment'])).max(2))
    .default(['segment'])
    .describe('For `verbose_json`.'),
  word_timestamps: FormBoolean.default(false).describe('For `verbose_json`: words besides segments.'),
  diarize: FormBoolean.default(false).describe(
    'Tell speakers apart, also in a format that does not name them. The segments of `verbose_json` name theirs.',
  ),
  min_speakers: SpeakerLimit.describe('For `diarize`.'),
  max_speakers: SpeakerLimit.describe('For `diarize`.'),
  task: z.enum(['transcribe', 'translate']).default('transcribe').describe('`translate`: into English.'),
  stream: FormBoolean.default(false).describe(
    'Server-sent events: `transcript.text.delta` as the text is recognized, with `diarized_json` then `….segment`, and `….done`.',
  ),
  chunking_strategy: formObject(z.union([z.literal('auto'), VadConfig]))
    .optional()
    .describe('Without effect: long audio is always cut in pauses.'),
});
export type OpenAiTranscriptionForm = z.output<typeof OpenAiTranscriptionForm>;

export const OpenAiTranslationForm = z.strictObject({
  ...shared,
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).default('json'),
});
export type OpenAiTranslationForm = z.output<typeof OpenAiTranslationForm>;

const Usage = z.object({ type: z.literal('duration'), seconds: z.number() });

const LogProbability = z.object({
  token: z.string().describe('A word, with the space before it.'),
  bytes: z.array(z.int()).describe('In UTF-8.'),
  logprob: z.number(),
});
export type LogProbability = z.output<typeof LogProbability>;

export const OpenAiText = z
  .object({
    text: z.string(),
    languages: z
      .array(z.object({ code: z.string() }))
      .optional()
      .describe('With `gpt-transcribe`.'),
    logprobs: z.array(LogProbability).optional(),
    usage: Usage,
  })
  .meta({ id: 'OpenAiText' });
export type OpenAiText = z.output<typeof OpenAiText>;

export const OpenAiSegment = z
  .object({
    id: z.int(),
    seek: z.int().describe('Hundredths of a second.'),
    start: z.number(),
    end: z.number(),
    text: z.string(),
    tokens: z.array(z.int()).describe('Empty: tokens are not stored.'),
    temperature: z.number(),
    avg_logprob: z.number().describe('Of the words.'),
    compression_ratio: z.number(),
    no_speech_prob: z.number(),
    speaker: z.string().optional().describe('With `diarize`.'),
  })
  .meta({ id: 'OpenAiSegment' });

export const OpenAiVerbose = z
  .object({
    task: z.enum(['transcribe', 'translate']),
    language: z.string().describe('English name in lower case, as in OpenAI’s API.'),
    duration: z.number(),
    text: z.string(),
    segments: z.array(OpenAiSegment).optional(),
    words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).optional(),
    usage: Usage,
  })
  .meta({ id: 'OpenAiVerbose' });
export type OpenAiVerbose = z.output<typeof OpenAiVerbose>;

export const OpenAiDiarized = z
  .object({
    task: z.literal('transcribe'),
    duration: z.number(),
    text: z.string(),
    segments: z.array(
      z.object({
        type: z.literal('transcript.text.segment'),
        id: z.string(),
        start: z.number(),
        end: z.number(),
        text: z.string(),
        speaker: z.string(),
      }),
    ),
    usage: Usage,
  })
  .meta({ id: 'OpenAiDiarized' });
export type OpenAiDiarized = z.output<typeof OpenAiDiarized>;

/** The error shape of OpenAI's API, used by these routes only. */
export const OpenAiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenAiError' });
export type OpenAiError = z.output<typeof OpenAiError>;
