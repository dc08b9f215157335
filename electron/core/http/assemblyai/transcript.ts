import type { Entity } from '../../../contract/analysis.ts';
import { AAI_CONSTANT, type AaiStatus, type AaiTranscript } from '../../../contract/assemblyai.ts';
import type { AnalysisOptions, Transcription } from '../../../contract/transcript.ts';
import { locateWords } from '../../analysis/offsets.ts';
import { round } from '../../base/numbers.ts';
import { languageCodes } from '../../base/spoken-languages.ts';
import { joinTexts } from '../../base/text.ts';
import { findMarks, parseQuery } from '../../search/query.ts';
import { extrasIn } from './extras.ts';
import { namedWords, understandingOf } from './understanding.ts';
import { aaiUtterances, aaiWords, toMs, wordedSegments } from './words.ts';

/** Facts of the job that our own form of a transcript does not show. */
export type AaiContext = {
  readonly options: AnalysisOptions;
  /** `auto`, or the requested language. */
  readonly languageAsked: string;
  readonly webhookUrl: string | null;
};

export const aaiStatus = (transcript: Pick<Transcription, 'status' | 'progress'>): AaiStatus => {
  if (transcript.status === 'failed') return 'error';
  if (transcript.status === 'completed') return 'completed';
  return transcript.progress?.stage === 'queued' ? 'queued' : 'processing';
};

const ENTITY_TYPES: Partial<Record<Entity['type'], string>> = {
  person: 'person_name',
  email: 'email_address',
  credit_card: 'credit_card_number',
  bank_account: 'account_number',
  ssn: 'us_social_security_number',
};

const SAFETY_LABELS: Readonly<Record<string, string>> = {
  violence: 'crime_violence',
  crime: 'crime_violence',
  sexual_content: 'nsfw',
};
const SEVERITY = { low: 0.2, medium: 0.5, high: 0.9 } as const;

const entitiesOf = (transcript: Transcription): AaiTranscript['entities'] => {
  if (transcript.entities === undefined) return null;
  const words = locateWords(transcript.text, wordedSegments(transcript));
  return transcript.entities.map((entity) => {
    const spoken = words.filter((word) => word.from < entity.endIndex && word.to > entity.startIndex);
    return {
      entity_type: ENTITY_TYPES[entity.type] ?? entity.type,
      text: entity.text,
      start: toMs(spoken[0]?.start ?? 0),
      end: toMs(spoken.at(-1)?.end ?? 0),
    };
  });
};

const highlightsOf = (transcript: Transcription): AaiTranscript['auto_highlights_result'] => {
  const phrases = transcript.key_phrases;
  if (phrases === undefined) return null;
  const segments = wordedSegments(transcript);
  const text = joinTexts(segments.map((segment) => segment.text));
  const words = locateWords(text, segments);
  return {
    status: 'success',
    results: phrases.map((phrase, index) => {
      const query = parseQuery(`"${phrase.replaceAll('"', ' ')}"`);
      const marks = query === undefined ? [] : findMarks(query, text);
      return {
        text: phrase,
        count: marks.length,
        rank: round(1 / (index + 1), 3),
        timestamps: marks.map(([from, to]) => {
          const spoken = words.filter((word) => word.from < to && word.to > from);
          return { start: toMs(spoken[0]?.start ?? 0), end: toMs(spoken.at(-1)?.end ?? 0) };
        }),
      };
    }),
  };
};

const topicsOf = ({ topics }: Transcription): AaiTranscript['iab_categories_result'] =>
  topics === undefined
    ? null
    : {
        status: 'success',
        results: [],
        summary: Object.fromEntries(topics.map((topic, index) => [topic, round(1 / (index + 1), 3)])),
      };

/** Without `minConfidence`, every label; in percent. */
const safetyOf = (transcript: Transcription, minConfidence = 0): AaiTranscript['content_safety_labels'] => {
  const safety = transcript.content_safety;
  if (safety === undefined) return null;
  const sure = safety.labels.filter(({ confidence }) => confidence * 100 >= minConfidence);
  const labels = sure.map((found) => ({
    ...found,
    name: SAFETY_LABELS[found.label] ?? found.label,
  }));
  const severities = { low: 0, medium: 0, high: 0 };
  return {
    status: 'success',
    results: labels.flatMap(({ name, confidence, severity, segments }) =>
      segments.map((segment) => ({
        text: transcript.segments[segment.id]?.text ?? '',
        labels: [{ label: name, confidence, severity: SEVERITY[severity] }],
        sentences_idx_start: segment.id,
        sentences_idx_end: segment.id,
        timestamp: { start: toMs(segment.start), end: toMs(segment.end) },
      })),
    ),
    summary: Object.fromEntries(labels.map(({ name, confidence }) => [name, confidence])),
    severity_score_summary: Object.fromEntries(
      labels.map(({ name, severity }) => [name, { ...severities, [severity]: 1 }]),
    ),
  };
};

const redactionOf = ({ options }: AaiContext) => ({
  redact_pii: options.redact_pii,
  redact_pii_audio: options.redact_pii_audio,
  redact_pii_audio_quality: null,
  redact_pii_policies: options.redact_pii ? [...(options.redact_pii_policies ?? [])] : null,
  redact_pii_sub: options.redact_pii ? (options.redact_pii_sub === 'hash' ? 'entity_name' : 'hash') : null,
});

/** Custom formatting finds entities without showing them. */
const showsEntities = (options: AnalysisOptions): boolean =>
  extrasIn(options)?.entity_detection ?? options.entity_detection;

const resultsOf = (transcript: Transcription, { options }: AaiContext) => {
  const done = transcript.status === 'completed';
  const words = done ? namedWords(aaiWords(transcript), transcript, options) : null;
  return {
    text: done ? transcript.text : null,
    words,
    utterances: words !== null && (options.diarize || options.multichannel) ? aaiUtterances(words) : null,
    confidence: done ? transcript.confidence : null,
    audio_duration: transcript.duration > 0 ? Math.round(transcript.duration) : null,
    auto_highlights: options.topics,
    auto_highlights_result: highlightsOf(transcript),
    iab_categories: options.topics,
    iab_categories_result: topicsOf(transcript),
    content_safety: options.content_safety,
    content_safety_labels: safetyOf(transcript, extrasIn(options)?.content_safety_confidence),
    filter_profanity: options.content_safety,
    entity_detection: showsEntities(options),
    entities: showsEntities(options) ? entitiesOf(transcript) : null,
    summarization: options.summarization,
    summary: transcript.summary?.text ?? null,
    summary_type: options.summarization ? options.summary_type : null,
    summary_model: options.summarization ? 'informative' : null,
  };
};

const webhookOf = ({ options, webhookUrl }: AaiContext) => {
  const header = options.foreign?.webhook?.header;
  return {
    webhook_url: webhookUrl,
    webhook_auth: header !== undefined,
    webhook_auth_header_name: header?.name ?? null,
  };
};

/** A transcript in AssemblyAI's form. Its segments need their words. */
export const aaiTranscript = (transcript: Transcription, context: AaiContext): AaiTranscript => ({
  ...AAI_CONSTANT,
  id: transcript.id,
  audio_url: transcript.audio_url,
  status: aaiStatus(transcript),
  audio_start_from: toMs(transcript.audio_start_from) || null,
  audio_end_at: toMs(transcript.audio_end_at) || null,
  language_code: transcript.language,
  language_codes: transcript.language === null ? null : languageCodes(transcript),
  language_detection: context.languageAsked === 'auto',
  language_confidence: transcript.language_confidence,
  language_confidence_threshold: context.options.language_confidence_threshold ?? null,
  speech_model: transcript.model,
  speech_models: extrasIn(context.options)?.speech_models ?? null,
  speech_model_used: transcript.model_id,
  speech_threshold: context.options.speech_threshold ?? null,
  custom_spelling: context.options.custom_spelling ?? null,
  ...webhookOf(context),
  multichannel: context.options.multichannel,
  ...(transcript.channels === undefined ? {} : { audio_channels: transcript.channels }),
  speaker_labels: context.options.diarize,
  speakers_expected: context.options.speakers_expected ?? null,
  ...resultsOf(transcript, context),
  ...redactionOf(context),
  ...understandingOf(transcript, context.options),
  ...(transcript.error === undefined ? {} : { error: transcript.error.message }),
});

/** AssemblyAI's answer about a deleted transcript: its text is replaced, its results are null. */
export const aaiDeleted = (transcript: AaiTranscript): AaiTranscript => ({
  ...transcript,
  text: 'Deleted by user.',
  audio_url: 'http://deleted_by_user',
  words: null,
  utterances: null,
  entities: null,
  summary: null,
  auto_highlights_result: null,
  iab_categories_result: null,
  content_safety_labels: null,
});
