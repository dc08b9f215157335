import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import type { ReanalysisCheckpoint, StoredAnalysis } from '../../stores/codecs.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { markForScrub, runPendingScrub } from '../../stores/scrub.ts';
import { readSegments, replaceSegments } from '../../stores/segments.ts';
import type { Transcript, TranscriptChange } from '../../stores/transcript-record.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { keepRedactedAudio, type Recording } from '../redaction/audio.ts';
import { redactedOptions } from '../redaction/partial.ts';
import { type PlaybackAudio, transcriptFolder } from '../source/playback-audio.ts';
import { removeWorkFolder } from '../source/work-folder.ts';
import type { JobContext } from '../types.ts';
import { type Analysed, analysedFields, keepVoices, withDiarization } from './analyze.ts';
import { diarizeTranscript } from './diarize.ts';
import { withoutNames } from './diarize-names.ts';
import { translateForSummary } from './translate.ts';

const checkpointOf = ({ checkpoint }: Pick<Transcript, 'checkpoint'>): ReanalysisCheckpoint | undefined =>
  checkpoint?.kind === 'reanalysis' ? checkpoint : undefined;

/** Whether this job only analyzes a finished transcript again, without recognizing its audio. */
export const isReanalysis = (transcript: Pick<Transcript, 'checkpoint'>): boolean =>
  checkpointOf(transcript) !== undefined;

/** The fields that queue a finished transcript for a reanalysis. */
export const queuedAgain = (
  transcript: Pick<Transcript, 'options' | 'completedAt'>,
  options: AnalysisOptions,
  diarize: boolean,
): TranscriptChange => ({
  status: 'processing',
  stage: 'queued',
  percent: 0,
  lease: null,
  completedAt: null,
  options,
  checkpoint: {
    kind: 'reanalysis',
    options: transcript.options,
    completedAt: transcript.completedAt,
    diarize,
  },
});

/** The fields that end a reanalysis without a result: the transcript is as it was before, with a warning. */
export const asBefore = (
  transcript: Pick<Transcript, 'checkpoint' | 'warnings' | 'options'>,
  warning: string,
): TranscriptChange => {
  const before = checkpointOf(transcript);
  return {
    status: 'completed',
    lease: null,
    percent: 100,
    checkpoint: null,
    options: before?.options ?? transcript.options,
    completedAt: before?.completedAt ?? null,
    warnings: [...new Set([...transcript.warnings, warning])],
  };
};

/** The sound that the transcript plays, as it is now. */
const keptRecording = async (deps: PipelineDeps, transcript: Transcript): Promise<Recording | null> => {
  if (transcript.audioFile !== null) {
    const path = join(transcriptFolder(deps, transcript.id), transcript.audioFile);
    return { input: { kind: 'file', path }, offset: transcript.audioOffset, shift: transcript.audioOffset };
  }
  const file = transcript.fileId === null ? undefined : await deps.files.locate(transcript.fileId);
  if (file === undefined) return null;
  const { audioStartFrom: start, audioEndAt: end } = transcript;
  const range = start === 0 && end === 0 ? {} : { range: { start, end: end === 0 ? null : end } };
  return { input: { kind: 'file', path: file.path }, offset: start, shift: 0, ...range };
};

/** The model that hears the covered audio again; null where it is not to be had any more. */
const modelOf = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
): Promise<PipelineModel | null> => {
  try {
    return await deps.models.prepare(transcript.modelId ?? transcript.model, {
      signal,
      onDownload: () => {},
    });
  } catch (error) {
    throwIfAborted(signal);
    if (isAppError(error)) return null;
    throw error;
  }
};

/** Whether names of persons are taken out now that were left in before. */
const takesNamesOut = (transcript: Transcript): boolean => {
  const earlier = checkpointOf(transcript)?.options ?? transcript.options;
  const named = ({ redact_pii, redact_pii_policies }: AnalysisOptions): boolean =>
    redact_pii && resolvePolicies(redact_pii_policies).includes('person_name');
  return named(transcript.options) && !named(earlier);
};

const complete = (
  deps: PipelineDeps,
  { transcript }: JobContext,
  analysed: Analysed,
  audio: PlaybackAudio | null,
): void => {
  const both: StoredAnalysis = { ...transcript.analysis, ...analysed.analysis };
  // What a person called the speakers is as private as what they call one another.
  const speakers = both.speakers && takesNamesOut(transcript) ? withoutNames(both.speakers) : both.speakers;
  const analysis = { ...both, ...(speakers === undefined ? {} : { speakers }) };
  const report = audio?.report === undefined ? {} : { redaction_report: audio.report };
  const warnings = [...analysed.warnings, ...(audio?.warnings ?? [])];
  deps.db.transaction(() => {
    replaceSegments(deps.db, transcript.id, analysed.segments);
    keepVoices(deps.db, transcript, analysed);
    const mine = updateClaimed(deps.db, transcript.id, transcript.attempt, {
      ...analysedFields(transcript, { ...analysed, analysis: { ...analysis, ...report }, warnings }),
      ...(audio === null ? {} : { audioFile: audio.file, audioOffset: audio.offset }),
      options: redactedOptions(transcript.options),
      // A page's title and chapters may tell what is to be hidden.
      ...(transcript.options.redact_pii ? { source: null } : {}),
      status: 'completed',
      percent: 100,
      lease: null,
      checkpoint: null,
      completedAt: deps.clock.now(),
    });
    if (!mine) throw new AppError('interrupted', 'This job was taken over.');
    if (transcript.options.redact_pii) markForScrub(deps.db, 'index');
  });
  runPendingScrub(deps.db);
};

const work = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { transcript, signal } = context;
  const { options, analysis, language } = transcript;
  const onProgress = (share: number) =>
    context.onProgress({ stage: 'analyzing', percent: share * 90, etaSeconds: null, speed: null });
  const recording = await keptRecording(deps, transcript);
  const before = { recording, segments: readSegments(deps.db, transcript.id), speakers: analysis.speakers };
  const told = await diarizeTranscript(deps, context, before, {
    ...options,
    diarize: checkpointOf(transcript)?.diarize ?? false,
  });
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
  const audio = transcript.options.redact_pii
    ? await keepRedactedAudio(deps, context, {
        recording,
        model: await model(),
        language,
        analysed,
      })
    : null;
  complete(deps, context, analysed, audio);
  if (audio !== null && transcript.audioFile !== null && transcript.audioFile !== audio.file) {
    await rm(join(transcriptFolder(deps, transcript.id), transcript.audioFile), { force: true });
  }
};

/**
 * Analyses a finished transcript again, over its stored words. One that fails or is cancelled leaves the
 * transcript as it was, with a warning: text is never lost to an analysis. With `redact_pii` the stored text,
 * words and audio are redacted for good.
 */
export const analyseAgain = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { transcript, signal } = context;
  try {
    await work(deps, context);
  } catch (error) {
    const later = signal.reason === 'shutdown' || (isAppError(error) && error.code === 'interrupted');
    if (later || signal.reason === 'deleted') throw error;
    deps.logger.warn(
      { transcript: transcript.id, reason: messageOf(error) },
      'A new analysis came to nothing',
    );
    const reason = signal.reason === 'cancelled' ? 'it was cancelled' : 'something went wrong';
    updateClaimed(
      deps.db,
      transcript.id,
      transcript.attempt,
      asBefore(transcript, `The last analysis was not made: ${reason}.`),
    );
  } finally {
    await removeWorkFolder(deps, transcript);
  }
};
