import { z } from 'zod';
import { QueryBoolean, queryInt, queryNumber } from './common.ts';

/**
 * The pre-recorded part of AssemblyAI's API (https://www.assemblyai.com/docs/api-reference). Its clients work with this
 * server's base URL and key. Times are whole milliseconds.
 */

const Ms = z.int().min(0).max(1e10);
const never = (what: string) =>
  z
    .union([z.literal(false), z.null()], { error: `is not available here: ${what}` })
    .optional()
    .describe(`Not available: ${what}.`);
const hint = (schema: z.ZodType) => schema.nullish().describe('Ignored.');

export const AAI_PII_POLICIES = [
  'account_number',
  'banking_information',
  'credit_card_cvv',
  'credit_card_expiration',
  'credit_card_number',
  'date',
  'date_of_birth',
  'drivers_license',
  'drug',
  'email_address',
  'event',
  'healthcare_number',
  'injury',
  'ip_address',
  'location',
  'medical_condition',
  'medical_process',
  'money_amount',
  'nationality',
  'number_sequence',
  'occupation',
  'organization',
  'passport_number',
  'password',
  'person_age',
  'person_name',
  'phone_number',
  'political_affiliation',
  'religion',
  'url',
  'us_social_security_number',
  'username',
  'vehicle_id',
] as const;
export type AaiPiiPolicy = (typeof AAI_PII_POLICIES)[number];

export const AAI_STATUSES = ['queued', 'processing', 'completed', 'error'] as const;
export const AaiStatus = z.enum(AAI_STATUSES);
export type AaiStatus = z.output<typeof AaiStatus>;

export const AaiCreate = z
  .strictObject({
    audio_url: z.string().min(1).max(8192).describe('An http(s) URL, or the `upload_url` of an upload.'),
    audio_start_from: Ms.nullish(),
    audio_end_at: Ms.nullish(),
    language_code: z
      .string()
      .max(20)
      .nullish()
      .describe('Default `en_us`, unless `language_detection` is on.'),
    language_detection: z.boolean().nullish(),
    speech_model: z
      .string()
      .max(200)
      .nullish()
      .describe('`best`, `universal`, `slam-1`: pro; `nano`: nano for English, else mini; default mini.'),
    speech_models: z.array(z.string().min(1).max(200)).max(10).nullish().describe('Only the first is used.'),
    speaker_labels: z.boolean().nullish(),
    speakers_expected: z.int().min(1).max(32).nullish(),
    speaker_options: hint(z.record(z.string(), z.unknown())),
    auto_highlights: z.boolean().nullish(),
    iab_categories: z.boolean().nullish().describe('Topics of this service’s own taxonomy.'),
    content_safety: z.boolean().nullish(),
    content_safety_confidence: z.int().min(25).max(100).nullish(),
    filter_profanity: z.boolean().nullish(),
    entity_detection: z.boolean().nullish(),
    summarization: z.boolean().nullish(),
    summary_model: hint(z.string().max(50)),
    summary_type: z.enum(['bullets', 'bullets_verbose', 'gist', 'headline', 'paragraph']).nullish(),
    redact_pii: z.boolean().nullish(),
    redact_pii_audio: z.boolean().nullish(),
    redact_pii_audio_quality: hint(z.enum(['mp3', 'wav'])),
    redact_pii_policies: z.array(z.enum(AAI_PII_POLICIES)).max(64).nullish(),
    redact_pii_sub: z
      .enum(['entity_name', 'hash'])
      .nullish()
      .describe('`entity_name`: `[EMAIL_ADDRESS_1f3a9c2e]`; `hash`: masks every letter and digit.'),
    punctuate: z.literal(true, { error: 'cannot be false: Whisper writes punctuation' }).nullish(),
    format_text: z.literal(true, { error: 'cannot be false: Whisper writes formatted text' }).nullish(),
    auto_chapters: never('chapters'),
    sentiment_analysis: never('sentiment analysis'),
    multichannel: never('transcripts by channel'),
    dual_channel: never('transcripts by channel'),
    custom_topics: never('custom topics'),
    redact_pii_return_unredacted: never('unredacted text is not kept'),
    webhook_url: z
      .null({ error: 'is not available here: create with POST /v1/transcript for webhooks' })
      .optional(),
    disfluencies: hint(z.boolean()),
    language_confidence_threshold: hint(z.number()),
    speech_threshold: hint(z.number()),
    temperature: hint(z.number()),
    prompt: hint(z.string().max(10_000)),
    keyterms_prompt: hint(z.array(z.string().max(200)).max(1000)),
    word_boost: hint(z.array(z.string().max(200)).max(2500)),
    boost_param: hint(z.enum(['low', 'default', 'high'])),
  })
  .superRefine((body, context) => {
    const end = body.audio_end_at ?? 0;
    if (end !== 0 && end <= (body.audio_start_from ?? 0)) {
      context.addIssue({
        code: 'custom',
        path: ['audio_end_at'],
        message: 'must be greater than audio_start_from',
      });
    }
  })
  .meta({ id: 'AaiCreate' });
export type AaiCreate = z.output<typeof AaiCreate>;

export const AaiUpload = z.object({ upload_url: z.string() }).meta({ id: 'AaiUpload' });

export const AaiWord = z
  .object({
    text: z.string(),
    start: z.int(),
    end: z.int(),
    confidence: z.number(),
    speaker: z.string().nullable(),
  })
  .meta({ id: 'AaiWord' });
export type AaiWord = z.output<typeof AaiWord>;

export const AaiUtterance = AaiWord.extend({ speaker: z.string(), words: z.array(AaiWord) }).meta({
  id: 'AaiUtterance',
});
export type AaiUtterance = z.output<typeof AaiUtterance>;

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
    language_confidence_threshold: z.null(),
    language_model: z.string(),
    acoustic_model: z.string(),
    speech_model: z.string().nullable(),
    speech_models: z.null(),
    speech_model_used: z.string().nullable().describe('The id of the Whisper model that ran.'),
    punctuate: z.boolean(),
    format_text: z.boolean(),
    multichannel: z.boolean(),
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
    webhook_url: z.null(),
    webhook_status_code: z.null(),
    word_boost: z.array(z.string()),
    boost_param: z.null(),
    speech_threshold: z.null(),
    custom_spelling: z.null(),
    error: z.string().optional(),
  })
  .meta({ id: 'AaiTranscript' });
export type AaiTranscript = z.output<typeof AaiTranscript>;

/** Fields with the same value in every transcript. */
export const AAI_CONSTANT = {
  language_confidence_threshold: null,
  language_model: 'whisper',
  acoustic_model: 'whisper',
  speech_models: null,
  punctuate: true,
  format_text: true,
  multichannel: false,
  dual_channel: false,
  auto_chapters: false,
  chapters: null,
  sentiment_analysis: false,
  sentiment_analysis_results: null,
  custom_topics: false,
  topics: [],
  disfluencies: false,
  throttled: false,
  webhook_auth: false,
  webhook_url: null,
  webhook_status_code: null,
  word_boost: [],
  boost_param: null,
  speech_threshold: null,
  custom_spelling: null,
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
