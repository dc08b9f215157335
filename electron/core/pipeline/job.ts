import { join } from 'node:path';
import { AppError, isAppError, messageOf } from '../base/errors.ts';
import type { DecodeSummary, MediaInfo } from '../engines/ffmpeg/types.ts';
import type { RecognitionCheckpoint } from '../stores/codecs.ts';
import { chargeCredits } from '../stores/credits.ts';
import { updateClaimed } from '../stores/jobs.ts';
import { markForScrub, runPendingScrub } from '../stores/scrub.ts';
import { deleteSegments, readSegments, replaceSegments } from '../stores/segments.ts';
import type { Transcript } from '../stores/transcript-record.ts';
import { findTranscript, updateTranscript } from '../stores/transcripts.ts';
import { firstCheckpoint, matchingCheckpoint } from './checkpoint.ts';
import type { PipelineDeps, PipelineModel } from './deps.ts';
import { type Analysed, keepVoices, withDiarization } from './findings/analyze.ts';
import { diarizeTranscript } from './findings/diarize.ts';
import { analyseAgain, isReanalysis } from './findings/reanalyze.ts';
import { summarise } from './findings/totals.ts';
import { translateForSummary } from './findings/translate.ts';
import { type AudioRange, recognizeAudio } from './recognition/chunk-scheduler.ts';
import { PEAKS_PER_SECOND } from './recognition/peaks.ts';
import { keepRedactedAudio, type Recording, recordingOf } from './redaction/audio.ts';
import { dropUnredacted, redactedOptions } from './redaction/partial.ts';
import { keepPlaybackAudio, type PlaybackAudio, transcriptFolder } from './source/playback-audio.ts';
import { RangeAudio } from './source/range-audio.ts';
import { resolveSource, type Source } from './source/resolve.ts';
import { keepForRetry, removeWorkFolder, workFolder } from './source/work-folder.ts';
import type { JobContext, JobWork } from './types.ts';

const DEMONSTRATION =
  'The demonstration model answered. It knows synthetic voices only: on real recordings its text is wrong.';

export const PEAKS_FILE = `peaks-${PEAKS_PER_SECOND}.bin`;

/** What fetching a missing model is of the whole job, in percent; fetching the audio is counted from 0 as well. */
const MODEL_PERCENT = 10;

/**
 * What was asked for. The end of the file is left to the decoder: a container's own length can be a guess, and
 * cutting there would lose what comes after it. `expectedEnd` is for progress alone.
 */
const rangeOf = (transcript: Transcript, info: MediaInfo): AudioRange => {
  const start = transcript.audioStartFrom;
  const end = transcript.audioEndAt === 0 ? null : transcript.audioEndAt;
  return { start, end, expectedEnd: Math.min(end ?? Infinity, info.duration ?? Infinity) };
};

const inspect = async (deps: PipelineDeps, context: JobContext, source: Source): Promise<MediaInfo> => {
  context.onProgress({ stage: 'decoding', percent: 10, etaSeconds: null, speed: null });
  let info: MediaInfo;
  try {
    info = await deps.media.probe(source.input, { signal: context.signal });
  } catch (error) {
    source.throwIfFailed();
    throw error;
  }
  if (info.audioStreams.length === 0) {
    throw new AppError('no_audio_track', 'This file has no sound: it holds no audio track.');
  }
  updateClaimed(deps.db, context.transcript.id, context.transcript.attempt, {
    fileName: source.name,
    fileSize: source.size ?? info.size ?? 0,
    fileFormat: info.format,
  });
  return info;
};

/** The saved state of this job if it fits, else a new beginning with nothing saved. */
const begin = (
  deps: PipelineDeps,
  { transcript }: JobContext,
  source: Source,
  model: PipelineModel,
): RecognitionCheckpoint => {
  const known = matchingCheckpoint(transcript, source.identity, model.id);
  if (known !== undefined) return known;
  const fresh = firstCheckpoint(transcript.audioStartFrom, source.identity, model.id);
  const language = transcript.languageAsked === 'auto' ? null : transcript.languageAsked;
  const checkpoint: RecognitionCheckpoint = {
    ...fresh,
    language: language ?? (deps.models.isEnglishOnly(transcript.model) ? 'en' : null),
    languageConfidence: language === null ? null : 1,
  };
  deps.db.transaction(() => {
    deleteSegments(deps.db, transcript.id);
    updateClaimed(deps.db, transcript.id, transcript.attempt, {
      checkpoint: null,
      modelId: model.id,
      language: checkpoint.language,
      languageConfidence: checkpoint.languageConfidence,
    });
  });
  return checkpoint;
};

type Outcome = {
  summary: DecodeSummary;
  checkpoint: RecognitionCheckpoint;
  model: PipelineModel;
  audio: PlaybackAudio;
  analysed: Analysed;
};

const creditsFor = (seconds: number, rate: number): number =>
  Math.ceil((seconds / 60) * rate * 100 - 1e-9) / 100;

/** Writes the finished transcript and its price, all or nothing. */
const complete = (deps: PipelineDeps, { transcript }: JobContext, outcome: Outcome): void => {
  const { summary, checkpoint, model, audio, analysed } = outcome;
  const now = deps.clock.now();
  const credits = creditsFor(summary.duration, deps.settings.creditRate(transcript.model));
  const warnings = [
    ...(model.demonstration ? [DEMONSTRATION] : []),
    ...summary.warnings,
    ...audio.warnings,
    ...analysed.warnings,
  ];
  deps.db.transaction(() => {
    replaceSegments(deps.db, transcript.id, analysed.segments);
    keepVoices(deps.db, transcript, analysed);
    const mine = updateClaimed(deps.db, transcript.id, transcript.attempt, {
      ...summarise(analysed.segments),
      analysis: {
        ...analysed.analysis,
        ...(audio.report === undefined ? {} : { redaction_report: audio.report }),
      },
      options: redactedOptions(transcript.options),
      modelId: model.id,
      duration: summary.duration,
      language: checkpoint.language,
      languageConfidence: checkpoint.languageConfidence,
      warnings,
      creditsUsed: credits,
      audioFile: audio.file,
      audioOffset: audio.offset,
      percent: 100,
    });
    if (!mine) throw new AppError('interrupted', 'This job was taken over.');
    updateTranscript(deps.db, transcript.id, {
      status: 'completed',
      lease: null,
      completedAt: now,
      checkpoint: null,
    });
    chargeCredits(deps.db, {
      transcriptId: transcript.id,
      userId: transcript.userId,
      model: transcript.model,
      month: new Date(now).toISOString().slice(0, 7),
      seconds: summary.duration,
      credits,
      chargedAt: now,
    });
    if (transcript.options.redact_pii) markForScrub(deps.db, 'index');
  });
  runPendingScrub(deps.db);
};

const ANALYSING_FROM = 95;
/** Covering what is private, and hearing it again, comes after. */
const ANALYSING_TO = 97;

/** The analyses that the job asks for, over what was recognised. */
const analyse = async (
  deps: PipelineDeps,
  context: JobContext,
  language: string | null,
  recording: Recording | null,
  model: PipelineModel,
): Promise<Analysed> => {
  const { transcript, signal } = context;
  const { options } = transcript;
  const onProgress = (share: number) =>
    context.onProgress({
      stage: 'analyzing',
      percent: ANALYSING_FROM + share * (ANALYSING_TO - ANALYSING_FROM),
      etaSeconds: null,
      speed: null,
    });
  const segments = readSegments(deps.db, transcript.id);
  const told = await diarizeTranscript(deps, context, { recording, segments }, options);
  const what = { recording, model: async () => model, language, segments };
  const { translation, warnings } = await translateForSummary(deps, context, what, options);
  onProgress(0);
  const asked = { language, segments: told.segments, options, translation, signal, onProgress };
  const analysed = await deps.analyse(asked);
  return withDiarization(analysed, { ...told, warnings: [...told.warnings, ...warnings] });
};

const work = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { transcript } = context;
  // Asked first: a job without its model should fail before anything else is downloaded for it.
  const model = await deps.models.prepare(transcript.model, {
    signal: context.signal,
    onDownload: (share) =>
      context.onProgress({
        stage: 'downloading_model',
        percent: share * MODEL_PERCENT,
        etaSeconds: null,
        speed: null,
      }),
  });
  const source = await resolveSource(deps, context);
  try {
    const info = await inspect(deps, context, source);
    const beginning = begin(deps, context, source, model);
    const range = rangeOf(transcript, info);
    const gathered =
      source.input.kind === 'range'
        ? await RangeAudio.open(workFolder(deps, transcript), beginning.at)
        : null;
    const { summary, checkpoint } = await recognizeAudio({
      deps,
      context,
      source,
      model,
      checkpoint: beginning,
      audio: gathered,
      range,
      peaksPath: join(transcriptFolder(deps, transcript.id), PEAKS_FILE),
    });
    const recording = await recordingOf(transcript, source.input, gathered);
    const { language } = checkpoint;
    const analysed = await analyse(deps, context, language, recording, model);
    const audio = transcript.options.redact_pii
      ? await keepRedactedAudio(deps, context, { recording, model, language, analysed })
      : await keepPlaybackAudio(deps, context, source, info, gathered);
    complete(deps, context, { summary, checkpoint, model, audio, analysed });
  } finally {
    await source.close();
  }
};

/** Whether the job will go on later, so that what was fetched for it must stay. */
const goesOn = (deps: PipelineDeps, { transcript, signal }: JobContext, error: unknown): boolean => {
  const stopped = signal.reason === 'shutdown' || (isAppError(error) && error.code === 'interrupted');
  return stopped && findTranscript(deps.db, transcript.id) !== undefined;
};

/** Shows what was recognised so far with the failure, and removes what another try cannot use. */
const giveUp = async (deps: PipelineDeps, { transcript }: JobContext, reason: unknown): Promise<void> => {
  try {
    if (transcript.options.redact_pii) {
      dropUnredacted(deps.db, transcript.id);
      runPendingScrub(deps.db);
    } else
      updateClaimed(
        deps.db,
        transcript.id,
        transcript.attempt,
        summarise(readSegments(deps.db, transcript.id)),
      );
  } catch (error) {
    // The segments themselves are saved; on a full disk the room that follows is what helps.
    deps.logger.warn(
      { transcript: transcript.id, reason: messageOf(error) },
      'The text so far was not written',
    );
  }
  await keepForRetry(deps, transcript, reason);
};

/** The whole way of a job: fetch → decode → recognise → persist. */
export const createJobWork =
  (deps: PipelineDeps): JobWork =>
  async (context) => {
    if (isReanalysis(context.transcript)) return analyseAgain(deps, context);
    try {
      await work(deps, context);
      await removeWorkFolder(deps, context.transcript);
    } catch (error) {
      if (!goesOn(deps, context, error)) await giveUp(deps, context, error);
      throw error;
    }
  };
