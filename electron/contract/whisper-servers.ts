import { z } from 'zod';
import { languageOf } from './languages.ts';
import { FormBoolean, languageIn, OpenAiTranscriptionForm } from './openai.ts';
import { LanguageOrAuto } from './recognition.ts';

/**
 * The forms of two servers of Whisper: whisper.cpp's (examples/server) and whisper-asr-webservice
 * (https://github.com/ahmetoner/whisper-asr-webservice). Like them, the fields and parameters that have no meaning here are
 * taken and ignored.
 */

const Language = languageIn(LanguageOrAuto, languageOf).default('auto');

export const ServerHealth = z.object({ status: z.literal('ok') }).meta({ id: 'ServerHealth' });

export const AsrQuery = z.object({
  task: z.enum(['transcribe', 'translate']).default('transcribe'),
  language: Language,
  initial_prompt: z.string().default(''),
  word_timestamps: FormBoolean.default(false).describe('With `json`: words besides segments.'),
  diarize: FormBoolean.default(false).describe('With `json`, segments name their speakers.'),
  min_speakers: OpenAiTranscriptionForm.shape.min_speakers,
  max_speakers: OpenAiTranscriptionForm.shape.max_speakers,
  output: z.enum(['txt', 'vtt', 'srt', 'tsv', 'json']).default('txt'),
  encode: FormBoolean.default(true).describe(
    '`false`: the file is 16-bit PCM of one channel at 16 kHz, without a header.',
  ),
});
export type AsrQuery = z.output<typeof AsrQuery>;

export const DetectLanguageQuery = z.object({ encode: AsrQuery.shape.encode });

/** Fields of a form: the file is read beside them. */
export const AsrForm = z.object({});

export const DetectedLanguage = z
  .object({
    detected_language: z.string().describe('English name in lower case.'),
    language_code: z.string(),
    confidence: z.number(),
  })
  .meta({ id: 'DetectedLanguage' });

export const InferenceForm = z.object({
  language: Language,
  detect_language: FormBoolean.default(false).describe('As the language `auto`.'),
  translate: FormBoolean.default(false),
  diarize: FormBoolean.default(false),
  prompt: z.string().default(''),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).default('json'),
});
