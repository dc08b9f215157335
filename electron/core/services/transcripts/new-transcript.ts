import { resolvePolicies } from '../../../contract/analysis.ts';
import { AnalysisOptions, type CreateTranscript } from '../../../contract/transcript.ts';
import { newId } from '../../base/ids.ts';
import type { Transcript } from '../../stores/transcript-record.ts';

/** What a new transcript needs besides the request. */
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

/** A transcript that waits in the queue. */
export const newTranscript = (body: CreateTranscript, made: NewTranscript): Transcript => ({
  id: newId('tr'),
  userId: made.userId,
  status: 'processing',
  stage: 'queued',
  percent: 0,
  queueOrder: made.queueOrder,
  lease: null,
  attempt: 0,
  audioUrl: body.audio_url,
  name: body.name ?? made.source.name,
  isNameGiven: body.name !== undefined,
  model: body.model,
  modelId: null,
  languageAsked: body.language,
  language: body.language === 'auto' ? null : body.language,
  languageConfidence: null,
  timestampStyle: body.timestamp_style,
  audioStartFrom: body.audio_start_from,
  audioEndAt: body.audio_end_at,
  options: analysisOptionsOf(body),
  webhookUrl: body.webhook_url ?? null,
  webhookSecret: body.webhook_secret ?? null,
  duration: 0,
  confidence: null,
  wordCount: 0,
  text: '',
  preview: '',
  analysis: {},
  warnings: [],
  error: null,
  checkpoint: null,
  fileName: null,
  fileSize: null,
  fileFormat: null,
  fileId: made.source.fileId,
  audioFile: null,
  audioOffset: 0,
  bytesFetched: 0,
  creditsUsed: 0,
  createdAt: made.now,
  startedAt: null,
  completedAt: null,
  appCrashes: 0,
  source: null,
});
