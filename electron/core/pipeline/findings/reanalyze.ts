import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { resolvePolicies } from '../../../contract/analysis.ts';
import { AnalysisOptions } from '../../../contract/transcript.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import type { TranscriptRow } from '../../stores/schema.ts';
import { markForScrub, runPendingScrub } from '../../stores/scrub.ts';
import { readSegments, replaceSegments } from '../../stores/segments.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { keepRedactedAudio, type Recording } from '../redaction/audio.ts';
import { isToBeRedacted, storedOptions } from '../redaction/partial.ts';
import { type KeptAudio, transcriptFolder } from '../source/keep-audio.ts';
import { cleanUp } from '../source/work-folder.ts';
import type { JobContext } from '../types.ts';
import {
  type Analysed,
  analysedColumns,
  keepVoices,
  type StoredAnalysis,
  withDiarization,
} from './analyze.ts';
import { diarizeTranscript } from './diarize.ts';
import { withoutNames } from './diarize-names.ts';
import { translateForSummary } from './translate.ts';

/** What the checkpoint of a finished transcript holds while it is analysed again. */
const Again = z.object({
  again: z.object({
    /** The options in force before, to go back to. */
    options: z.string(),
    completedAt: z.number().nullable(),
    /** Whether the speakers are to be told apart now. */
    diarize: z.boolean(),
  }),
});

const againOf = (row: Pick<TranscriptRow, 'checkpoint'>) =>
  row.checkpoint === null ? undefined : Again.safeParse(JSON.parse(row.checkpoint)).data?.again;

/** Whether this job analyses stored words, and recognises nothing. */
export const isAnalysedAgain = (row: Pick<TranscriptRow, 'checkpoint'>): boolean =>
  againOf(row) !== undefined;

/** The columns that put a finished transcript into the queue for other analyses. */
export const queuedAgain = (
  row: Pick<TranscriptRow, 'options' | 'completed_at'>,
  options: AnalysisOptions,
  diarize: boolean,
): Partial<TranscriptRow> => ({
  status: 'processing',
  stage: 'queued',
  percent: 0,
  lease: null,
  completed_at: null,
  options: JSON.stringify(options),
  checkpoint: JSON.stringify({ again: { options: row.options, completedAt: row.completed_at, diarize } }),
});

/** The columns that end a new analysis without a result: the transcript is as it was before. */
export const asBefore = (
  row: Pick<TranscriptRow, 'checkpoint' | 'warnings' | 'options'>,
  warning: string,
): Partial<TranscriptRow> => {
  const before = againOf(row);
  const warnings: string[] = JSON.parse(row.warnings);
  return {
    status: 'completed',
    lease: null,
    percent: 100,
    checkpoint: null,
    options: before?.options ?? row.options,
    completed_at: before?.completedAt ?? null,
    warnings: JSON.stringify([...new Set([...warnings, warning])]),
  };
};

/** The sound that the transcript plays, as it is now. */
const keptRecording = async (deps: PipelineDeps, row: TranscriptRow): Promise<Recording | null> => {
  if (row.audio_file !== null) {
    const path = join(transcriptFolder(deps, row.id), row.audio_file);
    return { input: { kind: 'file', path }, offset: row.audio_offset, shift: row.audio_offset };
  }
  const file = row.file_id === null ? undefined : await deps.files.locate(row.file_id);
  if (file === undefined) return null;
  const { audio_start_from: start, audio_end_at: end } = row;
  const range = start === 0 && end === 0 ? {} : { range: { start, end: end === 0 ? null : end } };
  return { input: { kind: 'file', path: file.path }, offset: start, shift: 0, ...range };
};

/** The model that hears the covered audio again; null where it is not to be had any more. */
const modelOf = async (deps: PipelineDeps, { row, signal }: JobContext): Promise<PipelineModel | null> => {
  try {
    return await deps.models.prepare(row.model_id ?? row.model, { signal, onDownload: () => {} });
  } catch (error) {
    throwIfAborted(signal);
    if (isAppError(error)) return null;
    throw error;
  }
};

/** Whether names of persons are taken out now that were left in before. */
const takesNamesOut = (row: TranscriptRow): boolean => {
  const now = AnalysisOptions.parse(JSON.parse(row.options));
  const earlier = AnalysisOptions.parse(JSON.parse(againOf(row)?.options ?? row.options));
  const named = ({ redact_pii, redact_pii_policies }: AnalysisOptions): boolean =>
    redact_pii && resolvePolicies(redact_pii_policies).includes('person_name');
  return named(now) && !named(earlier);
};

const complete = (
  deps: PipelineDeps,
  { row }: JobContext,
  analysed: Analysed,
  audio: KeptAudio | null,
): void => {
  const stored: StoredAnalysis = JSON.parse(row.analysis);
  const both = { ...stored, ...analysed.analysis };
  // What a person called the speakers is as private as what they call one another.
  const speakers = both.speakers && takesNamesOut(row) ? withoutNames(both.speakers) : both.speakers;
  const analysis = { ...both, ...(speakers === undefined ? {} : { speakers }) };
  const report = audio?.report === undefined ? {} : { redaction_report: audio.report };
  const warnings = [...analysed.warnings, ...(audio?.warnings ?? [])];
  deps.db.transaction(() => {
    replaceSegments(deps.db, row.id, analysed.segments);
    keepVoices(deps.db, row, analysed);
    const mine = updateClaimed(deps.db, row.id, row.attempt, {
      ...analysedColumns(row, { ...analysed, analysis: { ...analysis, ...report }, warnings }),
      ...(audio === null ? {} : { audio_file: audio.file, audio_offset: audio.offset }),
      options: storedOptions(row),
      // A page's title and chapters may tell what is to be hidden.
      ...(isToBeRedacted(row) ? { source: null } : {}),
      status: 'completed',
      percent: 100,
      lease: null,
      checkpoint: null,
      completed_at: deps.clock.now(),
    });
    if (!mine) throw new AppError('interrupted', 'This job was taken over.');
    if (isToBeRedacted(row)) markForScrub(deps.db, 'index');
  });
  runPendingScrub(deps.db);
};

const work = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { row, signal, report } = context;
  const onProgress = (share: number) =>
    report({ stage: 'analyzing', percent: share * 90, etaSeconds: null, speed: null });
  const options = AnalysisOptions.parse(JSON.parse(row.options));
  const recording = await keptRecording(deps, row);
  const { speakers }: StoredAnalysis = JSON.parse(row.analysis);
  const before = { recording, segments: readSegments(deps.db, row.id), speakers };
  const told = await diarizeTranscript(deps, context, before, {
    ...options,
    diarize: againOf(row)?.diarize ?? false,
  });
  const { language } = row;
  const model = () => modelOf(deps, context);
  const spoken = { ...before, model, language };
  const { translation, warnings } = await translateForSummary(deps, context, spoken, options);
  onProgress(0);
  const made = await deps.analyse({
    language,
    segments: told.segments,
    options,
    translation,
    signal,
    onProgress,
  });
  const analysed = withDiarization(made, { ...told, warnings: [...told.warnings, ...warnings] });
  const audio = isToBeRedacted(row)
    ? await keepRedactedAudio(deps, context, {
        recording,
        model: await model(),
        language,
        analysed,
      })
    : null;
  complete(deps, context, analysed, audio);
  if (audio !== null && row.audio_file !== null && row.audio_file !== audio.file) {
    await rm(join(transcriptFolder(deps, row.id), row.audio_file), { force: true });
  }
};

/**
 * Analyses a finished transcript again, over its stored words. One that fails or is cancelled leaves the
 * transcript as it was, with a warning: text is never lost to an analysis. With `redact_pii` the stored text,
 * words and audio are redacted for good.
 */
export const analyseAgain = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { row, signal } = context;
  try {
    await work(deps, context);
  } catch (error) {
    const later = signal.reason === 'shutdown' || (isAppError(error) && error.code === 'interrupted');
    if (later || signal.reason === 'deleted') throw error;
    deps.logger.warn({ transcript: row.id, reason: messageOf(error) }, 'A new analysis came to nothing');
    const reason = signal.reason === 'cancelled' ? 'it was cancelled' : 'something went wrong';
    updateClaimed(deps.db, row.id, row.attempt, asBefore(row, `The last analysis was not made: ${reason}.`));
  } finally {
    await cleanUp(deps, row);
  }
};
