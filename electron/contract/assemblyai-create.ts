import { z } from 'zod';
import { CustomSpelling, SpeakerName } from './recognition.ts';

const Ms = z.int().min(0).max(1e10);
const never = (what: string) =>
  z
    .union([z.literal(false), z.null()], { error: `is not available here: ${what}` })
    .optional()
    .describe(`Not available: ${what}.`);
const hint = (schema: z.ZodType) => schema.nullish().describe('Accepted without effect.');

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

const SpeakerCount = z.int().min(1).max(32);

const LanguageDetectionOptions = z.strictObject({
  expected_languages: z.array(z.string().max(20)).max(200).nullish(),
  fallback_language: z
    .string()
    .max(20)
    .nullish()
    .describe('`auto`: the likeliest of the expected languages.'),
  on_low_language_confidence: z.enum(['error', 'fallback']).nullish(),
  on_no_speech_detected: z
    .literal('fallback', { error: 'cannot be error: a recording without speech gets an empty text' })
    .nullish(),
  code_switching: never('a text in several languages'),
  code_switching_confidence_threshold: hint(z.number()),
  localization: hint(z.array(z.string().max(20)).max(200)),
  swiss_german: hint(z.boolean()),
  language_detection_model: hint(z.string().max(200)),
});

const effort = hint(z.enum(['low', 'medium']));

const CustomFormatting = z.strictObject({
  date: z.string().max(50).nullish().describe('Such as `mm/dd/yyyy`: yyyy, yy, mmmm, mm, m, dd, d.'),
  phone_number: z.string().max(50).nullish().describe('Such as `(xxx)xxx-xxxx`: an x for each digit.'),
  email: z.string().max(100).nullish().describe('Such as `username@domain.com`.'),
  effort,
});
export type AaiCustomFormatting = z.output<typeof CustomFormatting>;

const SpeakerIdentification = z.strictObject({
  speaker_type: z.literal('name', { error: 'cannot be role: speakers are identified by their names' }),
  known_values: z
    .array(SpeakerName)
    .min(1)
    .max(32)
    .describe('Found by remembered voices, and by introductions such as “my name is …”.'),
  effort,
});

const SpeechUnderstanding = z.strictObject({
  request: z
    .strictObject({
      speaker_identification: SpeakerIdentification.nullish(),
      custom_formatting: CustomFormatting.nullish(),
      translation: z
        .null({ error: 'is not available here: POST /v1/transcript with translate translates to English' })
        .optional(),
    })
    .nullish(),
  response: z.null({ error: 'is part of answers' }).optional(),
});

/** What has an effect in a request in AssemblyAI's form and has no field in our own; `http/assemblyai/extras.ts` stores it. */
export const AaiExtras = z.strictObject({
  speech_models: z.array(z.string()).optional(),
  speech_understanding: z
    .object({
      request: z
        .object({
          speaker_identification: SpeakerIdentification.pick({ speaker_type: true, known_values: true })
            .strip()
            .nullish(),
          custom_formatting: CustomFormatting.omit({ effort: true }).strip().nullish(),
        })
        .nullish(),
    })
    .optional(),
  /** Entities are part of the answer; formatting finds them without. */
  entity_detection: z.boolean(),
  content_safety_confidence: z.number().optional(),
});
export type AaiExtras = z.output<typeof AaiExtras>;

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
    language_detection_options: LanguageDetectionOptions.nullish(),
    speech_model: z
      .string()
      .max(200)
      .nullish()
      .describe(
        '`best`, `slam-1` and every `universal-…`: pro; `nano`: nano for English, else mini; default mini.',
      ),
    speech_models: z
      .array(z.string().min(1).max(200))
      .max(10)
      .nullish()
      .describe('The first that is installed, or may be downloaded, and knows the language is used.'),
    speaker_labels: z.boolean().nullish(),
    speakers_expected: z.int().min(1).max(32).nullish(),
    speaker_options: z
      .strictObject({
        min_speakers_expected: SpeakerCount.nullish(),
        max_speakers_expected: SpeakerCount.nullish(),
      })
      .nullish(),
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
    redact_pii_audio_options: z
      .strictObject({
        return_redacted_no_speech_audio: hint(z.boolean()),
        override_audio_redaction_method: z
          .null({ error: 'is not available here: redacted words are covered by a tone' })
          .optional(),
      })
      .nullish(),
    redact_pii_audio_quality: hint(z.enum(['mp3', 'wav'])),
    redact_pii_policies: z.array(z.enum(AAI_PII_POLICIES)).max(64).nullish(),
    redact_pii_sub: z
      .enum(['entity_name', 'hash'])
      .nullish()
      .describe('`entity_name`: `[EMAIL_ADDRESS]`; `hash`: masks every letter and digit.'),
    punctuate: z.literal(true, { error: 'cannot be false: Whisper writes punctuation' }).nullish(),
    format_text: z.literal(true, { error: 'cannot be false: Whisper writes formatted text' }).nullish(),
    auto_chapters: never('chapters'),
    sentiment_analysis: never('sentiment analysis'),
    multichannel: z
      .boolean()
      .nullish()
      .describe('Each channel by itself, up to 8; not together with speaker_labels.'),
    dual_channel: never('use multichannel'),
    custom_topics: never('custom topics'),
    redact_pii_return_unredacted: never('unredacted text is not kept'),
    topics: z
      .array(z.string())
      .max(0, 'is not available here: custom topics')
      .nullish()
      .describe('Not available: custom topics.'),
    webhook_url: z
      .url({ protocol: /^https?$/ })
      .max(8192)
      .nullish()
      .describe('Gets `{transcript_id, status}` once the transcript is completed or failed.'),
    webhook_auth_header_name: z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not a header name')
      .max(200)
      .nullish(),
    webhook_auth_header_value: z
      .string()
      .regex(/^[\t\x20-\x7e]*$/, 'is not a header value')
      .max(4096)
      .nullish(),
    custom_spelling: z.array(CustomSpelling).max(1000).nullish(),
    speech_understanding: SpeechUnderstanding.nullish(),
    domain: hint(z.string().max(100)),
    remove_audio_tags: hint(z.string().max(100)).describe(
      'Accepted without effect: tags such as [MUSIC] are always left out.',
    ),
    keyterms_prompt_options: hint(
      z.strictObject({ keyterms_match_strength: z.enum(['high', 'standard']).nullish() }),
    ),
    disfluencies: hint(z.boolean()),
    language_confidence_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe('With `language_detection`: how probable the detected language must be.'),
    speech_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe('The share of the recording in which words must be heard.'),
    temperature: hint(z.number()),
    prompt: hint(z.string().max(10_000)),
    keyterms_prompt: z
      .array(z.string().max(200))
      .max(1000)
      .nullish()
      .describe('Names and terms that may occur: our vocabulary.'),
    word_boost: z
      .array(z.string().max(200))
      .max(2500)
      .nullish()
      .describe('Like keyterms_prompt; the first 1,000 count.'),
    boost_param: z
      .enum(['low', 'default', 'high'])
      .nullish()
      .describe('The weight of word_boost: 0.5, 1 or 2.'),
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
    const needed = [
      ['webhook_auth_header_name', 'webhook_url'],
      ['webhook_auth_header_name', 'webhook_auth_header_value'],
      ['webhook_auth_header_value', 'webhook_auth_header_name'],
    ] as const;
    for (const [field, other] of needed) {
      if (body[field] == null || body[other] != null) continue;
      context.addIssue({ code: 'custom', path: [field], message: `needs ${other}` });
    }
    const identifies = body.speech_understanding?.request?.speaker_identification != null;
    const excluded = [
      ['speaker_labels', body.speaker_labels === true],
      ['speech_understanding', identifies],
    ] as const;
    for (const [field, isAsked] of excluded) {
      if (!isAsked || body.multichannel !== true) continue;
      const message = 'does not go with multichannel: each channel is a speaker already';
      context.addIssue({ code: 'custom', path: [field], message });
    }
    const { min_speakers_expected: min, max_speakers_expected: max } = body.speaker_options ?? {};
    if (min != null && max != null && min > max) {
      const message = 'must not be greater than max_speakers_expected';
      context.addIssue({ code: 'custom', path: ['speaker_options', 'min_speakers_expected'], message });
    }
  })
  .meta({ id: 'AaiCreate' });
export type AaiCreate = z.output<typeof AaiCreate>;
