import { z } from 'zod';
import { CHINESE_REGIONS, LANGUAGE_CODES } from './languages.ts';
import { nameUpTo } from './names.ts';
import { Vocabulary } from './vocabulary.ts';

const UNKNOWN_LANGUAGE = { error: 'is not a language code that Whisper knows' };
/** Typed as string, so that clients can send what a user typed and show the validation error. */
export const LanguageCode: z.ZodType<string, string> = z.enum(LANGUAGE_CODES, UNKNOWN_LANGUAGE).meta({
  id: 'LanguageCode',
  description: 'ISO 639 code of a language that Whisper supports.',
});
export const LanguageOrAuto: z.ZodType<string, string> = z.enum(
  ['auto', ...LANGUAGE_CODES, ...Object.keys(CHINESE_REGIONS)],
  UNKNOWN_LANGUAGE,
);

export const CHINESE_SCRIPTS = ['simplified', 'traditional'] as const;
export type ChineseScript = (typeof CHINESE_SCRIPTS)[number];

/** In characters. */
export const PROMPT_LENGTH = 1000;

export const SpeakerName = nameUpTo(200);

export const CustomSpelling = z
  .strictObject({
    from: z
      .array(z.string().trim().min(1).max(200))
      .min(1)
      .max(100)
      .describe('Words or phrases, in any case.'),
    to: z.string().trim().min(1).max(200).describe('Written exactly like this.'),
  })
  .meta({ id: 'CustomSpelling' });
export type CustomSpelling = z.output<typeof CustomSpelling>;

export const WORD_TIMES = ['fast', 'aligned'] as const;
export const WordTimes = z.enum(WORD_TIMES).meta({ id: 'WordTimes' });
export type WordTimes = z.output<typeof WordTimes>;

/** Options of the recognition, which a later analysis cannot change. */
export const recognitionFields = {
  translate: z
    .boolean()
    .default(false)
    .describe('Translate the text to English with Whisper’s own translation.'),
  prompt: z
    .string()
    .max(PROMPT_LENGTH)
    .optional()
    .describe('Names and words that occur, for their spelling. Whisper treats it as preceding text.'),
  vocabulary: Vocabulary.optional().describe(
    'Names and terms that may occur: each a string, or an object with what it is misheard as. Default: those of `PUT /v1/vocabulary`; an empty list uses none.',
  ),
  chinese_script: z
    .enum(CHINESE_SCRIPTS)
    .optional()
    .describe(
      'How Chinese is written; what is said stays. Default: as the region of `language` writes (`zh-TW`, `zh-HK`: traditional), else `simplified`, and Cantonese `traditional`.',
    ),
  expected_languages: z
    .array(LanguageCode)
    .min(1)
    .max(LANGUAGE_CODES.length)
    .optional()
    .describe('Used with `language: "auto"`: the languages that the recording may be in.'),
  word_times: WordTimes.default('aligned').describe(
    'How the times of words come about. `aligned`: in a pass after the recognition, from where the model looked and from the sound; good enough to cut audio by. `fast`: estimated, without that pass. Models of the Parakeet family write exact times in any case; a translation has estimated ones.',
  ),
  custom_spelling: z
    .array(CustomSpelling)
    .min(1)
    .max(1000)
    .optional()
    .describe('Words and phrases to write in another way.'),
  verify_with: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Another model that recognizes the audio again, best one of the other family: words on which both agree get a higher confidence, the others carry `alternatives`. `nano`, `mini`, `pro`, or the id of an installed model. Does not go with `translate`; credits are charged for both models.',
    ),
  multichannel: z
    .boolean()
    .default(false)
    .describe(
      'Recognize each audio channel by itself, of all audio tracks, up to 8: for recordings with one person in each, such as both ends of a call. Segments and words carry `channel`, and each channel is a speaker. Does not go with `diarize` or `verify_with`; credits are charged for each channel.',
    ),
  fallback_language: LanguageCode.optional().describe(
    'Used with expected_languages: the language if another one is detected; default: the likeliest of those expected.',
  ),
  language_confidence_threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Used with `language: "auto"`: how probable the detected language must be.'),
  on_low_language_confidence: z
    .enum(['error', 'fallback'])
    .optional()
    .describe(
      'Used with language_confidence_threshold. `error`, the default: a less probable language fails with `language_uncertain`. `fallback`: the recording is in fallback_language, else in the likeliest of expected_languages, else in the language that was detected.',
    ),
  speech_threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'The share of the recording in which words must be heard: less fails with `too_little_speech`.',
    ),
};
