import { sql as raw } from 'kysely';
import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import { STAGES, type Stage } from '../../contract/job.ts';
import type { AnalysisOptions, TranscriptStatus } from '../../contract/transcript.ts';
import type { StoredWarning } from '../../contract/warnings.ts';
import {
  analysisCodec,
  type Checkpoint,
  checkpointCodec,
  nullable,
  optionsCodec,
  type PageSource,
  pageSourceCodec,
  type StoredAnalysis,
  warningsCodec,
} from './codecs.ts';
import type { TranscriptRow } from './schema.ts';

export type TranscriptError = {
  readonly code: JobErrorCode;
  readonly message: string;
  readonly stage: Stage;
};

/** A transcript, which is also its own job in the queue. Times are milliseconds since the epoch. */
export type Transcript = {
  readonly id: string;
  readonly userId: string;
  readonly status: TranscriptStatus;
  readonly stage: Stage;
  /** Of the whole job. */
  readonly percent: number;
  readonly queueOrder: number;
  /** The run of the program that works on the job; null while it waits. */
  readonly lease: string | null;
  /** Fencing token: counts the claims, so that late writes of an earlier one are dropped. */
  readonly attempt: number;
  /** Without its login. */
  readonly audioUrl: string;
  /**
   * The login of `audioUrl` (`user:password`, percent-encoded), which no answer shows; null where there was none. The
   * database empties it when the job ends.
   */
  readonly audioLogin: string | null;
  readonly name: string;
  /** False where a better name may replace it, such as the title of a web page. */
  readonly isNameGiven: boolean;
  /** As asked for. */
  readonly model: string;
  /** The model that ran. */
  readonly modelId: string | null;
  readonly languageAsked: string;
  readonly language: string | null;
  readonly languageConfidence: number | null;
  readonly timestampStyle: 'segment' | 'word';
  /** Seconds on the source's timeline. */
  readonly audioStartFrom: number;
  /** Seconds on the source's timeline; 0 means to the end. */
  readonly audioEndAt: number;
  readonly options: AnalysisOptions;
  readonly webhookUrl: string | null;
  readonly webhookSecret: string | null;
  /** Seconds of audio that were recognized. */
  readonly duration: number;
  readonly confidence: number | null;
  readonly wordCount: number;
  readonly text: string;
  readonly preview: string;
  readonly analysis: StoredAnalysis;
  readonly warnings: readonly StoredWarning[];
  /** Set only where the status is `failed`. */
  readonly error: TranscriptError | null;
  readonly checkpoint: Checkpoint | null;
  readonly fileName: string | null;
  readonly fileSize: number | null;
  readonly fileFormat: string | null;
  /** The stored file that it was made from. */
  readonly fileId: string | null;
  /** The audio kept with the transcript: a file name in its folder. */
  readonly audioFile: string | null;
  /** Seconds on the source's timeline at which the kept audio begins. */
  readonly audioOffset: number;
  readonly bytesFetched: number;
  readonly creditsUsed: number;
  /** What the job may still cost; meaningful only in progress. */
  readonly creditsReserved: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** Consecutive crashes of the program during this job without any progress in between. */
  readonly appCrashes: number;
  /** What the web page said in which the recording was found. */
  readonly source: PageSource | null;
  /** Grows with every update of the row. */
  readonly revision: number;
  /** How many channels were recognized, each by itself; null where they were mixed, or are not counted yet. */
  readonly channels: number | null;
};

/** Fields to change; undefined leaves a field as it is. */
export type TranscriptChange = { readonly [Field in keyof Transcript]?: Transcript[Field] | undefined };

const checkpoints = nullable(checkpointCodec);
const pageSources = nullable(pageSourceCodec);

/** A stage that this version does not know reads as `queued`. */
export const stageOf = (text: string | null): Stage => STAGES.find((stage) => stage === text) ?? 'queued';

/** Null where nothing failed. */
export const decodeError = (
  row: Pick<TranscriptRow, 'error_code' | 'error_message' | 'error_stage'>,
): TranscriptError | null =>
  row.error_code === null
    ? null
    : {
        code: JOB_ERROR_CODES.find((code) => code === row.error_code) ?? 'internal_error',
        message: row.error_message ?? '',
        stage: stageOf(row.error_stage),
      };

export const decodeTranscript = (row: TranscriptRow): Transcript => ({
  id: row.id,
  userId: row.user_id,
  status: row.status,
  stage: stageOf(row.stage),
  percent: row.percent,
  queueOrder: row.queue_order,
  lease: row.lease,
  attempt: row.attempt,
  audioUrl: row.audio_url,
  audioLogin: row.audio_login,
  name: row.name,
  isNameGiven: row.name_given !== 0,
  model: row.model,
  modelId: row.model_id,
  languageAsked: row.language_asked,
  language: row.language,
  languageConfidence: row.language_confidence,
  timestampStyle: row.timestamp_style,
  audioStartFrom: row.audio_start_from,
  audioEndAt: row.audio_end_at,
  options: optionsCodec.decode(row.options),
  webhookUrl: row.webhook_url,
  webhookSecret: row.webhook_secret,
  duration: row.duration,
  confidence: row.confidence,
  wordCount: row.word_count,
  text: row.text,
  preview: row.preview,
  analysis: analysisCodec.decode(row.analysis),
  warnings: warningsCodec.decode(row.warnings),
  error: decodeError(row),
  checkpoint: checkpoints.decode(row.checkpoint),
  fileName: row.file_name,
  fileSize: row.file_size,
  fileFormat: row.file_format,
  fileId: row.file_id,
  audioFile: row.audio_file,
  audioOffset: row.audio_offset,
  bytesFetched: row.bytes_fetched,
  creditsUsed: row.credits_used,
  creditsReserved: row.credits_reserved,
  createdAt: row.created_at,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  appCrashes: row.app_crashes,
  source: pageSources.decode(row.source),
  revision: row.revision,
  channels: row.channels,
});

type TranscriptColumns = { [Column in keyof TranscriptRow]: TranscriptRow[Column] | undefined };

const ifSet = <T, Stored>(value: T | undefined, encode: (value: T) => Stored): Stored | undefined =>
  value === undefined ? undefined : encode(value);

/** The columns of the changed fields; Kysely leaves out those that are undefined. */
const encodeChange = (fields: TranscriptChange): TranscriptColumns => {
  const error = fields.error === null ? { code: null, message: null, stage: null } : fields.error;
  return {
    id: fields.id,
    user_id: fields.userId,
    status: fields.status,
    stage: fields.stage,
    percent: fields.percent,
    queue_order: fields.queueOrder,
    lease: fields.lease,
    attempt: fields.attempt,
    audio_url: fields.audioUrl,
    audio_login: fields.audioLogin,
    name: fields.name,
    name_given: ifSet(fields.isNameGiven, Number),
    model: fields.model,
    model_id: fields.modelId,
    language_asked: fields.languageAsked,
    language: fields.language,
    language_confidence: fields.languageConfidence,
    timestamp_style: fields.timestampStyle,
    audio_start_from: fields.audioStartFrom,
    audio_end_at: fields.audioEndAt,
    options: ifSet(fields.options, optionsCodec.encode),
    webhook_url: fields.webhookUrl,
    webhook_secret: fields.webhookSecret,
    duration: fields.duration,
    confidence: fields.confidence,
    word_count: fields.wordCount,
    text: fields.text,
    preview: fields.preview,
    analysis: ifSet(fields.analysis, analysisCodec.encode),
    warnings: ifSet(fields.warnings, (warnings) => warningsCodec.encode([...warnings])),
    error_code: error?.code,
    error_message: error?.message,
    error_stage: error?.stage,
    checkpoint: ifSet(fields.checkpoint, checkpoints.encode),
    file_name: fields.fileName,
    file_size: fields.fileSize,
    file_format: fields.fileFormat,
    file_id: fields.fileId,
    audio_file: fields.audioFile,
    audio_offset: fields.audioOffset,
    bytes_fetched: fields.bytesFetched,
    credits_used: fields.creditsUsed,
    credits_reserved: fields.creditsReserved,
    created_at: fields.createdAt,
    started_at: fields.startedAt,
    completed_at: fields.completedAt,
    app_crashes: fields.appCrashes,
    source: ifSet(fields.source, pageSources.encode),
    revision: fields.revision,
    channels: fields.channels,
  };
};

/** The columns of an update, which is a new revision. */
export const encodeUpdate = (fields: TranscriptChange) => ({
  ...encodeChange(fields),
  revision: fields.revision ?? raw<number>`revision + 1`,
});

export const encodeTranscript = (transcript: Transcript): TranscriptRow =>
  // A whole transcript sets every column.
  encodeChange(transcript) as TranscriptRow;
