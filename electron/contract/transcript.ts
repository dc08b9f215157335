import { z } from 'zod';
import {
  ContentSafety,
  Entity,
  EntityType,
  PiiPolicyName,
  PiiSubstitution,
  RedactedSource,
  RedactSource,
  SpeakingRate,
  Summary,
  SummaryType,
} from './analysis.ts';
import { Bytes, Probability, queryNumber, Seconds, success, Timestamp, TranscriptId } from './common.ts';
import { JobError, Progress } from './job.ts';
import { DEFAULT_MODEL, nameUpTo } from './names.ts';
import { LanguageCode, LanguageOrAuto, recognitionFields, SpeakerName } from './recognition.ts';
import { Segment } from './segments.ts';
import { Warning } from './warnings.ts';

export const TRANSCRIPT_STATUSES = ['processing', 'completed', 'failed'] as const;
export type TranscriptStatus = (typeof TRANSCRIPT_STATUSES)[number];

export const StatusReason = z
  .enum(['cancelled', 'error'])
  .describe('Why `status` is `failed`: its user stopped it, or an error did. Absent otherwise.');
export type StatusReason = z.output<typeof StatusReason>;

export const FileInfo = z.object({ name: z.string(), size: Bytes, format: z.string() });

export const KnownSpeaker = z
  .strictObject({
    name: SpeakerName,
    sample: z
      .string()
      .regex(/^storage:./, 'must be `storage:{key}`')
      .max(8192)
      .optional()
      .describe(
        '`storage:{key}` of a recording of 2 to 10 seconds in which only this person speaks. Without it, the person is recognized by a remembered voice of that name, or by an introduction such as “my name is …”.',
      ),
  })
  .meta({ id: 'KnownSpeaker' });
export type KnownSpeaker = z.output<typeof KnownSpeaker>;

const analysisFields = {
  diarize: z.boolean().default(false).describe('Label who speaks when.'),
  speakers_expected: z.int().min(1).max(32).optional().describe('Number of speakers, if known.'),
  min_speakers: z.int().min(1).max(32).optional().describe('Used without speakers_expected.'),
  max_speakers: z.int().min(1).max(32).optional().describe('Used without speakers_expected.'),
  known_speakers: z
    .array(KnownSpeaker)
    .min(1)
    .max(32)
    .optional()
    .describe('Used with diarize: the people who may speak. Those who are recognized get their names.'),
  content_safety: z.boolean().default(false).describe('Label unsafe content and mask profanity.'),
  entity_detection: z.boolean().default(false),
  entity_types: z.array(EntityType).max(64).optional().describe('Used with entity_detection; default: all.'),
  topics: z.boolean().default(false),
  summarization: z.boolean().default(false),
  summary_language: LanguageCode.default('en'),
  summary_type: SummaryType.default('bullets'),
  redact_pii: z.boolean().default(false),
  redact_pii_policies: z
    .array(PiiPolicyName)
    .max(64)
    .optional()
    .describe('Used with redact_pii; default: all.'),
  redact_pii_sub: PiiSubstitution.default('hash'),
  redact_pii_audio: z
    .boolean()
    .default(false)
    .describe('Also produce an audio file with the redacted words bleeped.'),
  redact_names: z
    .boolean()
    .default(true)
    .describe(
      'Used with redact_pii: also redact `name`, the file name and `audio_url`, and leave out the title and chapters of a web page. A failed transcription keeps its `audio_url`, which a retry needs.',
    ),
  redact_source: RedactSource.default('keep').describe(
    'Used with redact_pii: what becomes of your stored file once the text is redacted. `redaction_report.source` says what was done.',
  ),
};

type CheckedFields = {
  redact_pii: boolean;
  redact_source: RedactSource;
  min_speakers?: number | undefined;
  max_speakers?: number | undefined;
};

const checkAnalyses = (body: CheckedFields, context: z.RefinementCtx): void => {
  if ((body.min_speakers ?? 1) > (body.max_speakers ?? Infinity)) {
    const message = 'must not be greater than max_speakers';
    context.addIssue({ code: 'custom', path: ['min_speakers'], message });
  }
  // Without a redaction nothing would be deleted, which a caller must not believe.
  if (body.redact_source === 'delete' && !body.redact_pii) {
    context.addIssue({ code: 'custom', path: ['redact_source'], message: 'needs redact_pii' });
  }
};

/** What a request in another service's form asks and ours does not. Only the routes of that form know the fields. */
const ForeignRequest = z.strictObject({
  /** The webhook gets the id and the status alone, with this header. */
  webhook: z
    .strictObject({ header: z.strictObject({ name: z.string(), value: z.string() }).optional() })
    .optional(),
  settings: z.record(z.string(), z.json()),
  /** May name what is private: dropped when the text is redacted. */
  texts: z.record(z.string(), z.json()),
});
export type ForeignRequest = z.output<typeof ForeignRequest>;

/** The options that are stored with a transcript. */
export const AnalysisOptions = z.strictObject({
  ...analysisFields,
  ...recognitionFields,
  foreign: ForeignRequest.optional(),
});
export type AnalysisOptions = z.output<typeof AnalysisOptions>;

export const CreateTranscript = z
  .strictObject({
    audio_url: z
      .string()
      .min(1)
      .max(8192)
      .describe('An http(s) URL, or `storage:{key}` for a stored file of your own.'),
    model: z
      .string()
      .min(1)
      .max(200)
      .default(DEFAULT_MODEL)
      .describe(
        '`nano`, `mini`, `pro`, or the id of a model. One that is not installed is refused, unless `models.autoInstall` lets it be downloaded first.',
      ),
    language: LanguageOrAuto.default('auto').describe(
      'A language code, for Chinese also with a region such as `zh-TW`, or `auto`.',
    ),
    timestamp_style: z.enum(['segment', 'word']).default('segment'),
    audio_start_from: z.number().min(0).max(1e7).default(0).describe('Seconds.'),
    audio_end_at: z.number().min(0).max(1e7).default(0).describe('Seconds; 0 means to the end.'),
    ...recognitionFields,
    ...analysisFields,
    name: nameUpTo(500).optional().describe('Display name; default: the file name in the URL.'),
    webhook_url: z
      .url({ protocol: /^https?$/ })
      .max(8192)
      .optional(),
    webhook_secret: z.string().min(1).max(512).optional(),
    wait_until_complete: z.boolean().default(false).describe('Answer when the transcription has ended.'),
  })
  .superRefine((body, context) => {
    checkAnalyses(body, context);
    if (body.audio_end_at !== 0 && body.audio_end_at <= body.audio_start_from) {
      context.addIssue({
        code: 'custom',
        path: ['audio_end_at'],
        message: 'must be greater than audio_start_from',
      });
    }
    if (body.model === 'nano' && body.language !== 'auto' && body.language !== 'en') {
      context.addIssue({
        code: 'custom',
        path: ['language'],
        message: 'nano is English-only: use mini or pro',
      });
    }
    if (body.verify_with !== undefined && body.translate) {
      context.addIssue({
        code: 'custom',
        path: ['verify_with'],
        message:
          'does not go with translate: two translations of one sentence differ without either being wrong',
      });
    }
    const excluded = [
      ['diarize', 'each channel is a speaker already'],
      ['verify_with', 'the second model hears all channels at once'],
    ] as const;
    for (const [field, reason] of excluded) {
      if (!body.multichannel || !body[field]) continue;
      const message = `does not go with multichannel: ${reason}`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
    if (body.webhook_secret !== undefined && body.webhook_url === undefined) {
      context.addIssue({ code: 'custom', path: ['webhook_secret'], message: 'needs webhook_url' });
    }
  })
  .meta({ id: 'CreateTranscript' });
export type CreateTranscript = z.output<typeof CreateTranscript>;
export type CreateTranscriptInput = z.input<typeof CreateTranscript>;

export const IdempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key and body within 24 hours return the first transcription; another body is a 409.'),
});

/** In the order of the window's palette. */
export const SPEAKER_COLORS = 6;
export const SpeakerColor = z
  .int()
  .min(0)
  .max(SPEAKER_COLORS - 1);
export const SpeakerLabel = z.string().regex(/^[A-Z]{1,3}$/);

export const Speaker = z.object({
  name: z.string(),
  talk_seconds: Seconds,
  share: Probability.describe('Of the talk of all speakers.'),
  color: SpeakerColor.optional().describe('Given by a person; else the window colors speakers in turn.'),
  suggested_name: z
    .string()
    .optional()
    .describe('The name of a similar remembered voice; never applied automatically.'),
  similarity: Probability.optional().describe('Cosine similarity to that voice’s speaker embedding.'),
});
export type Speaker = z.output<typeof Speaker>;

/** Whether redacted words are still audible, found by recognizing the bleeped audio again; and what became of the source. */
export const RedactionReport = z
  .object({
    checked: z.boolean().describe('False if no audio is kept, or if it could not be recognized again.'),
    spans: z.int().describe('Number of bleeped spans.'),
    audible: z
      .array(z.string())
      .describe('Policies with a value that is still audible; empty if the redaction succeeded.'),
    source: RedactedSource.optional().describe(
      'What became of the stored file that was transcribed: `deleted`; `kept` as requested; `kept_in_use` while another transcription needs it; `not_stored` if `audio_url` named none. Absent if an earlier version redacted.',
    ),
  })
  .meta({ id: 'RedactionReport' });
export type RedactionReport = z.output<typeof RedactionReport>;

const CountByPolicy = z.record(z.string(), z.int().nonnegative());

/** How many values redaction found, by policy; no values. */
const PrivateDataCounts = z
  .object({
    hidden: CountByPolicy.describe('Values that were redacted, by policy.'),
    left: CountByPolicy.describe('Values of policies that were not asked for: still in the text.'),
  })
  .meta({ id: 'PrivateDataCounts' });

/** The web page at `audio_url` in which the recording was found. */
const PageSource = z
  .object({
    title: z.string().describe('Empty if the page has none.'),
    site: z.string().describe('The site, as yt-dlp names it.'),
    recordings: z.int().describe('Number of recordings in the page; the first one is transcribed.'),
    chapters: z.array(z.object({ title: z.string(), start: Seconds, end: Seconds })),
  })
  .meta({ id: 'PageSource' });

export const EDIT_KINDS = ['text', 'speakers', 'diarization', 'times', 'name'] as const;

export const Edit = z
  .object({
    id: z.int().describe('Unique within the transcription.'),
    kind: z.enum(EDIT_KINDS),
    created_at: Timestamp,
  })
  .meta({ id: 'Edit' });
export type Edit = z.output<typeof Edit>;

const LanguageShare = z
  .object({
    language: z.string(),
    share: Probability.describe('Of the time of all segments in a known language.'),
  })
  .meta({ id: 'LanguageShare' });
export type LanguageShare = z.output<typeof LanguageShare>;

export const Mark = z
  .strictObject({
    at: Seconds.min(0).describe('From the beginning of the recording.'),
    text: z.string().max(2000).describe('A note; may be empty.'),
  })
  .meta({ id: 'Mark' });
export type Mark = z.output<typeof Mark>;

export const Transcription = z
  .object({
    id: TranscriptId,
    audio_url: z.string(),
    status: z.enum(TRANSCRIPT_STATUSES),
    status_reason: StatusReason.optional(),
    text: z.string(),
    duration: Seconds.describe('Seconds of processed audio; 0 until known.'),
    topics: z.array(z.string()).optional(),
    summary: Summary.optional(),
    entities: z.array(Entity).optional(),
    segments: z.array(Segment),
    redact_pii_audio: z.boolean().optional(),
    redact_pii_policies: z.array(z.string()).optional(),
    redact_pii_sub: PiiSubstitution.optional(),
    redacted_audio_url: z.string().optional(),
    redaction_report: RedactionReport.optional(),
    private_data: PrivateDataCounts.optional().describe(
      'With redact_pii; absent if an earlier version redacted.',
    ),
    name: z.string(),
    model: z.string().describe('As requested.'),
    model_id: z.string().nullable().describe('The model that ran.'),
    language: z
      .string()
      .nullable()
      .describe('Detected or requested; of several languages the most spoken one; null until known.'),
    languages: z
      .array(LanguageShare)
      .describe('The languages of the segments, the most spoken one first; empty if the segments have none.'),
    language_confidence: Probability.nullable(),
    confidence: Probability.nullable().describe('Mean confidence of the words.'),
    word_count: z.int(),
    timestamp_style: z.enum(['segment', 'word']),
    progress: Progress.optional().describe('While processing.'),
    error: JobError.optional().describe('When failed.'),
    warnings: z.array(z.string()),
    warning_details: z
      .array(Warning)
      .describe('The same warnings with codes, for programs that branch or translate.'),
    created_at: Timestamp,
    completed_at: Timestamp.nullable(),
    credits_used: z.number(),
    file_info: FileInfo.nullable().describe('Null until known.'),
    audio_start_from: Seconds,
    audio_end_at: Seconds,
    bytes_fetched: Bytes.describe('Bytes downloaded for this transcription.'),
    audio_offset: Seconds.describe(
      'Where the audio of `/audio` starts on the timeline of `segments`: 0, or the start of the range if only that was downloaded.',
    ),
    source: PageSource.optional().describe('The web page in which the recording was found.'),
    channels: z
      .int()
      .min(1)
      .optional()
      .describe('With `multichannel`: how many channels the recording has; absent until known.'),
    speakers: z.record(z.string(), Speaker).optional(),
    edits: z
      .object({ undo: Edit.nullable(), redo: Edit.nullable() })
      .optional()
      .describe('What `undo` takes back and what `redo` makes again; absent if nobody edited.'),
    content_safety: ContentSafety.optional(),
    key_phrases: z.array(z.string()).optional(),
    marks: z
      .array(Mark)
      .optional()
      .describe('Moments that somebody marked, in order of time; absent if there are none.'),
    revision: z.int().describe('Grows with every change of the transcription.'),
  })
  .meta({ id: 'Transcription' });
export type Transcription = z.output<typeof Transcription>;

/** What events say of a transcription. */
export const TranscriptSummary = Transcription.pick({
  id: true,
  name: true,
  status: true,
  revision: true,
  progress: true,
  error: true,
}).meta({ id: 'TranscriptSummary' });
export type TranscriptSummary = z.output<typeof TranscriptSummary>;

export const SentenceWord = z.object({
  word: z.string(),
  start: Seconds,
  end: Seconds,
  confidence: Probability,
});
export const Sentence = z
  .object({
    id: z.int().describe('Starts at 1.'),
    text: z.string(),
    start: Seconds,
    end: Seconds,
    confidence: Probability,
    words: z.array(SentenceWord),
  })
  .meta({ id: 'Sentence' });

const second = queryNumber(z.number().min(0).max(1e6)).optional();

/** Which words an answer has: those of a long transcription are five times as long as the rest of it. */
export const WordsQuery = z.object({
  words_from: second.describe('Only segments that end after this second have their words.'),
  words_to: second.describe('Only segments that begin before this second have their words.'),
});
export type WordsQuery = z.output<typeof WordsQuery>;

export const SentenceData = success(
  z.object({
    transcription_id: TranscriptId,
    total_sentences: z.int(),
    total_duration: Seconds,
    sentences: z.array(Sentence),
    statistics: z.object({
      average_confidence: Probability,
      words_per_minute: z.number(),
      speaking_rate: SpeakingRate,
      speakers: z
        .record(z.string(), z.object({ words: z.int(), talk_seconds: Seconds, share: Probability }))
        .optional()
        .describe('Talk time of each speaker, and the share of all talk; absent without speakers.'),
    }),
  }),
).meta({ id: 'SentenceData' });
export type SentenceData = z.output<typeof SentenceData>;

export const Deleted = z.object({ message: z.string() });

export const AnalyzeTranscript = z
  .strictObject({
    ...analysisFields,
    diarize_from: z
      .number()
      .min(0)
      .max(1e7)
      .optional()
      .describe(
        'Used with diarize: identify the speakers again from this second on only. The numbers of speakers are those of that part; what was said before keeps its speakers.',
      ),
    wait_until_complete: z.boolean().default(false),
  })
  .superRefine((body, context) => {
    checkAnalyses(body, context);
    if (body.diarize_from !== undefined && !body.diarize) {
      context.addIssue({ code: 'custom', path: ['diarize_from'], message: 'needs diarize' });
    }
  })
  .meta({ id: 'AnalyzeTranscript' });
export type AnalyzeTranscript = z.output<typeof AnalyzeTranscript>;
