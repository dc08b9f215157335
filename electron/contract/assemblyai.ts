import { z } from 'zod';
import { AaiExtras } from './assemblyai-create.ts';
import { QueryBoolean, queryInt, queryNumber } from './common.ts';
import { CustomSpelling } from './recognition.ts';

/**
 * The pre-recorded part of AssemblyAI's API (https://www.assemblyai.com/docs/api-reference). Its clients work with this
 * server's base URL and key. Times are whole milliseconds.
 */

export const AAI_STATUSES = ['queued', 'processing', 'completed', 'error'] as const;
export const AaiStatus = z.enum(AAI_STATUSES);
export type AaiStatus = z.output<typeof AaiStatus>;

export const AaiUpload = z.object({ upload_url: z.string() }).meta({ id: 'AaiUpload' });

export const AaiWord = z
  .object({
    text: z.string(),
    start: z.int(),
    end: z.int(),
    confidence: z.number(),
    speaker: z.string().nullable(),
    channel: z
      .string()
      .optional()
      .describe('With multichannel: `1` for the left channel, `2` for the right one, and so on.'),
  })
  .meta({ id: 'AaiWord' });
export type AaiWord = z.output<typeof AaiWord>;

export const AaiUtterance = AaiWord.extend({ speaker: z.string(), words: z.array(AaiWord) }).meta({
  id: 'AaiUtterance',
});
export type AaiUtterance = z.output<typeof AaiUtterance>;

const Understood = z.object({ status: z.literal('success') });
const AaiUnderstanding = z.object({
  ...AaiExtras.shape.speech_understanding.unwrap().pick({ request: true }).shape,
  response: z
    .object({
      speaker_identification: Understood.extend({
        mapping: z
          .record(z.string(), z.string())
          .describe('Labels to names; one who is not identified keeps the label.'),
      }).optional(),
      custom_formatting: Understood.extend({
        mapping: z.record(z.string(), z.string()),
        formatted_text: z.string(),
        formatted_utterances: z.array(AaiUtterance).optional(),
      }).optional(),
    })
    .optional(),
});
export type AaiUnderstanding = z.output<typeof AaiUnderstanding>;

const Span = z.object({ start: z.int(), end: z.int() });
const ResultStatus = z.enum(['success', 'unavailable']);
const flag = z.boolean().nullable();

export const AaiTranscript = z
  .object({
    id: z.string(),
    audio_url: z.string(),
    status: AaiStatus,
    text: z.string().nullable(),
    words: z.array(AaiWord).nullable(),
    utterances: z.array(AaiUtterance).nullable(),
    confidence: z.number().nullable(),
    audio_duration: z.int().nullable().describe('Seconds.'),
    audio_start_from: z.int().nullable(),
    audio_end_at: z.int().nullable(),
    language_code: z.string().nullable(),
    language_codes: z.array(z.string()).nullable(),
    language_detection: flag,
    language_confidence: z.number().nullable(),
    language_confidence_threshold: z.number().nullable(),
    language_model: z.string(),
    acoustic_model: z.string(),
    speech_model: z.string().nullable(),
    speech_models: z.array(z.string()).nullable(),
    speech_model_used: z.string().nullable().describe('The id of the Whisper model that ran.'),
    punctuate: z.boolean(),
    format_text: z.boolean(),
    multichannel: z.boolean(),
    audio_channels: z.int().optional().describe('With multichannel.'),
    dual_channel: z.boolean(),
    speaker_labels: z.boolean(),
    speakers_expected: z.int().nullable(),
    auto_highlights: z.boolean(),
    auto_highlights_result: z
      .object({
        status: ResultStatus,
        results: z.array(
          z.object({ text: z.string(), count: z.int(), rank: z.number(), timestamps: z.array(Span) }),
        ),
      })
      .nullable(),
    iab_categories: z.boolean(),
    iab_categories_result: z
      .object({
        status: ResultStatus,
        results: z.array(z.object({ text: z.string() })),
        summary: z.record(z.string(), z.number()).describe('By rank: 1, 1/2, 1/3, …'),
      })
      .nullable(),
    content_safety: z.boolean(),
    content_safety_labels: z
      .object({
        status: ResultStatus,
        results: z.array(
          z.object({
            text: z.string(),
            labels: z.array(z.object({ label: z.string(), confidence: z.number(), severity: z.number() })),
            sentences_idx_start: z.int(),
            sentences_idx_end: z.int(),
            timestamp: Span,
          }),
        ),
        summary: z.record(z.string(), z.number()),
        severity_score_summary: z.record(
          z.string(),
          z.object({ low: z.number(), medium: z.number(), high: z.number() }),
        ),
      })
      .nullable(),
    filter_profanity: z.boolean(),
    entity_detection: z.boolean(),
    entities: z
      .array(z.object({ entity_type: z.string(), text: z.string(), start: z.int(), end: z.int() }))
      .nullable(),
    summarization: z.boolean(),
    summary: z.string().nullable(),
    summary_type: z.string().nullable(),
    summary_model: z.string().nullable(),
    redact_pii: z.boolean(),
    redact_pii_audio: z.boolean(),
    redact_pii_audio_quality: z.null(),
    redact_pii_policies: z.array(z.string()).nullable(),
    redact_pii_sub: z.string().nullable(),
    auto_chapters: z.boolean(),
    chapters: z.null(),
    sentiment_analysis: z.boolean(),
    sentiment_analysis_results: z.null(),
    custom_topics: z.boolean(),
    topics: z.array(z.string()),
    disfluencies: z.boolean(),
    throttled: z.boolean(),
    webhook_auth: z.boolean(),
    webhook_auth_header_name: z.string().nullable(),
    webhook_url: z.string().nullable(),
    webhook_status_code: z.null(),
    word_boost: z.array(z.string()),
    speech_understanding: AaiUnderstanding.optional(),
    boost_param: z.null(),
    speech_threshold: z.number().nullable(),
    custom_spelling: z.array(CustomSpelling).nullable(),
    error: z.string().optional(),
  })
  .meta({ id: 'AaiTranscript' });
export type AaiTranscript = z.output<typeof AaiTranscript>;

/** Fields with the same value in every transcript. */
export const AAI_CONSTANT = {
  language_model: 'whisper',
  acoustic_model: 'whisper',
  punctuate: true,
  format_text: true,
  dual_channel: false,
  auto_chapters: false,
  chapters: null,
  sentiment_analysis: false,
  sentiment_analysis_results: null,
  custom_topics: false,
  topics: [],
  disfluencies: false,
  throttled: false,
  webhook_status_code: null,
  word_boost: [],
  boost_param: null,
} satisfies Partial<AaiTranscript>;

export const AaiListQuery = z.strictObject({
  limit: queryInt(1, 200, 10),
  status: AaiStatus.optional(),
  created_on: z.iso.date().optional(),
  before_id: z.string().max(100).optional(),
  after_id: z.string().max(100).optional(),
  throttled_only: QueryBoolean.optional(),
});
export type AaiListQuery = z.output<typeof AaiListQuery>;

export const AaiList = z
  .object({
    page_details: z.object({
      limit: z.int(),
      result_count: z.int(),
      current_url: z.string(),
      prev_url: z.string().nullable().describe('The page of older transcripts, as in AssemblyAI’s API.'),
      next_url: z.string().nullable().describe('The page of newer transcripts.'),
    }),
    transcripts: z.array(
      z.object({
        id: z.string(),
        resource_url: z.string(),
        status: AaiStatus,
        created: z.string(),
        completed: z.string().nullable(),
        audio_url: z.string(),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'AaiList' });
export type AaiList = z.output<typeof AaiList>;

const read = { id: z.string(), confidence: z.number(), audio_duration: z.int() };
export const AaiSentences = z
  .object({ ...read, sentences: z.array(AaiWord.extend({ words: z.array(AaiWord) })) })
  .meta({ id: 'AaiSentences' });
export type AaiSentences = z.output<typeof AaiSentences>;

export const AaiParagraphs = z
  .object({
    ...read,
    paragraphs: z.array(AaiWord.omit({ speaker: true }).extend({ words: z.array(AaiWord) })),
  })
  .meta({ id: 'AaiParagraphs' });
export type AaiParagraphs = z.output<typeof AaiParagraphs>;

export const AaiSubtitlesQuery = z.strictObject({
  chars_per_caption: queryNumber(z.int().min(10).max(800)).optional(),
});

export type AaiSubtitlesQuery = z.output<typeof AaiSubtitlesQuery>;

export const AaiWordSearchQuery = z.strictObject({ words: z.string().min(1).max(5000) });
export const AaiWordSearch = z
  .object({
    id: z.string(),
    total_count: z.int(),
    matches: z.array(
      z.object({
        text: z.string(),
        count: z.int(),
        timestamps: z.array(z.tuple([z.int(), z.int()])),
        indexes: z.array(z.int()).describe('Index of the first word in `words` of the transcript.'),
      }),
    ),
  })
  .meta({ id: 'AaiWordSearch' });
export type AaiWordSearch = z.output<typeof AaiWordSearch>;

export const AaiRedactedAudio = z
  .object({ redacted_audio_url: z.string(), status: z.literal('redacted_audio_ready') })
  .meta({ id: 'AaiRedactedAudio' });
