import { resolvePolicies } from '../../../contract/analysis.ts';
import { JOB_ERROR_CODES } from '../../../contract/errors.ts';
import type {
  JobError,
  Progress,
  Segment,
  SentenceData,
  Transcription,
} from '../../../contract/transcript.ts';
import { AnalysisOptions, STAGES } from '../../../contract/transcript.ts';
import type { RecentItem, UserListItem } from '../../../contract/transcript-list.ts';
import { sentenceStatistics, splitSentences } from '../../analysis/sentences.ts';
import { isoTime } from '../../base/clock.ts';
import { round, roundMs } from '../../base/numbers.ts';
import type { LiveProgress } from '../../jobs/runner.ts';
import type { StoredAnalysis } from '../../pipeline/findings/analyze.ts';
import type { TranscriptRow } from '../../stores/schema.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { TranscriptListRow } from '../../stores/transcripts.ts';
import { relativeDate } from './relative-date.ts';

type Statused = Pick<
  TranscriptListRow,
  'status' | 'stage' | 'percent' | 'error_code' | 'error_message' | 'error_stage'
>;

const stageOf = (text: string | null) => STAGES.find((stage) => stage === text) ?? 'queued';

const progressOf = (row: Statused, live: LiveProgress): { progress?: Progress } =>
  row.status !== 'processing'
    ? {}
    : {
        progress: {
          stage: live.queuePosition === null ? stageOf(row.stage) : 'queued',
          percent: round(row.percent, 1),
          queue_position: live.queuePosition,
          eta_seconds: live.etaSeconds === null ? null : Math.ceil(live.etaSeconds),
          speed: live.speed === null ? null : round(live.speed, 2),
        },
      };

const errorOf = (row: Statused): { error?: JobError } =>
  row.status !== 'failed'
    ? {}
    : {
        error: {
          code: JOB_ERROR_CODES.find((code) => code === row.error_code) ?? 'internal_error',
          message: row.error_message ?? '',
          stage: stageOf(row.error_stage),
        },
      };

const fileInfoOf = (
  row: Pick<TranscriptRow, 'file_name' | 'file_size' | 'file_format'>,
): Transcription['file_info'] =>
  row.file_name === null || row.file_size === null || row.file_format === null
    ? null
    : { name: row.file_name, size: row.file_size, format: row.file_format };

const presentSegment = (segment: StoredSegment, index: number, withWords: boolean): Segment => ({
  id: index,
  text: segment.text,
  start: roundMs(segment.start),
  end: roundMs(segment.end),
  speaker_id: segment.speaker_id,
  ...(withWords
    ? { words: segment.words.map((word) => ({ ...word, confidence: round(word.confidence, 3) })) }
    : {}),
});

export const presentSegments = (
  segments: readonly StoredSegment[],
  withWords: boolean,
  from = 0,
): Segment[] => segments.map((segment, index) => presentSegment(segment, from + index, withWords));

/** Results of the analyses, written by the pipeline in the form of the answer. */
export const readAnalysis = (text: string): StoredAnalysis => JSON.parse(text);
export const readWarnings = (text: string): string[] => JSON.parse(text);
export const readOptions = (text: string): AnalysisOptions => AnalysisOptions.parse(JSON.parse(text));

const redactionOf = (options: AnalysisOptions, audioUrl: string | undefined): Partial<Transcription> =>
  options.redact_pii
    ? {
        redact_pii_audio: true,
        redact_pii_policies: resolvePolicies(options.redact_pii_policies),
        redact_pii_sub: options.redact_pii_sub,
        ...(options.redact_pii_audio && audioUrl !== undefined ? { redacted_audio_url: audioUrl } : {}),
      }
    : {};

/** Written by the pipeline in the form of the answer. */
const sourceOf = (text: string | null): Pick<Transcription, 'source'> =>
  text === null ? {} : { source: JSON.parse(text) };

/** The Transcription, every field named: a row never leaks. */
export const presentTranscript = (
  row: TranscriptRow,
  segments: readonly StoredSegment[],
  live: LiveProgress,
  audioUrl?: string,
): Transcription => ({
  id: row.id,
  audio_url: row.audio_url,
  status: row.status,
  text: row.text,
  duration: roundMs(row.duration),
  segments: presentSegments(segments, row.timestamp_style === 'word'),
  ...readAnalysis(row.analysis),
  ...redactionOf(readOptions(row.options), row.audio_file === null ? undefined : audioUrl),
  name: row.name,
  model: row.model,
  model_id: row.model_id,
  language: row.language,
  language_confidence: row.language_confidence === null ? null : round(row.language_confidence, 3),
  confidence: row.confidence === null ? null : round(row.confidence, 3),
  word_count: row.word_count,
  timestamp_style: row.timestamp_style,
  ...progressOf(row, live),
  ...errorOf(row),
  warnings: readWarnings(row.warnings),
  created_at: isoTime(row.created_at),
  completed_at: row.completed_at === null ? null : isoTime(row.completed_at),
  credits_used: row.credits_used,
  file_info: fileInfoOf(row),
  audio_start_from: row.audio_start_from,
  audio_end_at: row.audio_end_at,
  bytes_fetched: row.bytes_fetched,
  audio_offset: roundMs(row.audio_offset),
  ...sourceOf(row.source),
});

const CAPITALISED = { processing: 'Processing', completed: 'Completed', failed: 'Failed' } as const;

/** 4504 s → "75:04": minutes grow past 59. */
export const minutesAndSeconds = (seconds: number): string => {
  const whole = Math.round(seconds);
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
};

export const presentRecent = (row: TranscriptListRow, now: number): RecentItem => ({
  id: row.id,
  name: row.name,
  date: relativeDate(row.created_at, now),
  status: CAPITALISED[row.status],
  duration: minutesAndSeconds(row.duration),
});

/** A transcript sentence by sentence, with its statistics. */
export const presentSentences = (
  row: Pick<TranscriptRow, 'id' | 'duration'>,
  segments: readonly StoredSegment[],
): SentenceData['data'] => {
  const sentences = splitSentences(segments);
  // In place: a copy of each of 100,000 words would cost a fifth of the answer's time.
  for (const sentence of sentences) {
    sentence.confidence = round(sentence.confidence, 3);
    for (const word of sentence.words) word.confidence = round(word.confidence, 3);
  }
  return {
    transcription_id: row.id,
    total_sentences: sentences.length,
    total_duration: roundMs(row.duration),
    sentences,
    statistics: sentenceStatistics(segments),
  };
};

/** The first 100 characters (UTF-16 code units), never half of a surrogate pair. */
export const cutText = (text: string, length = 100): string => {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
};

export const presentListItem = (row: TranscriptListRow, live: LiveProgress): UserListItem => {
  const { topics, speakers } = readAnalysis(row.analysis);
  return {
    id: row.id,
    name: row.name,
    text: cutText(row.preview),
    language: row.language,
    confidence: row.confidence === null ? null : round(row.confidence, 3),
    duration: roundMs(row.duration),
    word_count: row.word_count,
    status: row.status,
    model: row.model,
    created_at: isoTime(row.created_at),
    completed_at: row.completed_at === null ? null : isoTime(row.completed_at),
    file_info: fileInfoOf(row),
    credits_used: row.credits_used,
    ...(topics === undefined ? {} : { topics }),
    ...(speakers === undefined ? {} : { speakers: Object.values(speakers).map((speaker) => speaker.name) }),
    ...progressOf(row, live),
    ...errorOf(row),
  };
};
