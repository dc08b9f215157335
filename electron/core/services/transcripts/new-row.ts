import { resolvePolicies } from '../../../contract/analysis.ts';
import { AnalysisOptions, type CreateTranscript } from '../../../contract/transcript.ts';
import { newId } from '../../base/ids.ts';
import type { TranscriptRow } from '../../stores/schema.ts';

/** What a new transcript is made from, beside the request. */
export type NewTranscript = {
  readonly userId: string;
  readonly source: { readonly name: string; readonly fileId: string | null };
  readonly queueOrder: number;
  readonly now: number;
};

const analysisOptionsOf = (body: CreateTranscript): AnalysisOptions => {
  const names = Object.keys(AnalysisOptions.shape);
  const picked = Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
  const options = AnalysisOptions.parse(picked);
  return options.redact_pii
    ? { ...options, redact_pii_policies: resolvePolicies(options.redact_pii_policies) }
    : options;
};

const EMPTY_ROW = {
  status: 'processing' as const,
  stage: 'queued',
  percent: 0,
  lease: null,
  attempt: 0,
  model_id: null,
  language_confidence: null,
  duration: 0,
  confidence: null,
  word_count: 0,
  text: '',
  preview: '',
  analysis: '{}',
  speaker_names: '{}',
  warnings: '[]',
  error_code: null,
  error_message: null,
  error_stage: null,
  checkpoint: null,
  file_name: null,
  file_size: null,
  file_format: null,
  audio_file: null,
  bytes_fetched: 0,
  credits_used: 0,
  started_at: null,
  completed_at: null,
  unclean_ends: 0,
  audio_offset: 0,
  source: null,
};

/** The row of a transcript that waits in the queue. */
export const newRow = (body: CreateTranscript, made: NewTranscript): TranscriptRow => ({
  ...EMPTY_ROW,
  id: newId('tr'),
  user_id: made.userId,
  queue_order: made.queueOrder,
  audio_url: body.audio_url,
  name: body.name ?? made.source.name,
  name_given: body.name === undefined ? 0 : 1,
  model: body.model,
  language_asked: body.language,
  language: body.language === 'auto' ? null : body.language,
  timestamp_style: body.timestamp_style,
  audio_start_from: body.audio_start_from,
  audio_end_at: body.audio_end_at,
  options: JSON.stringify(analysisOptionsOf(body)),
  webhook_url: body.webhook_url ?? null,
  webhook_secret: body.webhook_secret ?? null,
  file_id: made.source.fileId,
  created_at: made.now,
});
