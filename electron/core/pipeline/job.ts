import { type StoredWarning, warningOf } from '../../contract/warnings.ts';
import { AppError, isAppError, messageOf } from '../base/errors.ts';
import { spokenLanguages } from '../base/spoken-languages.ts';
import type { DecodeSummary, MediaInfo } from '../engines/ffmpeg/types.ts';
import type { RecognitionCheckpoint, Transcript } from '../stores/codecs.ts';
import { chargeCredits } from '../stores/credits.ts';
import { deleteEdits } from '../stores/edits.ts';
import { updateClaimed } from '../stores/jobs.ts';
import { runPendingScrub, scrubLog } from '../stores/scrub.ts';
import { markForScrub } from '../stores/scrub-mark.ts';
import {
  deleteReplaced,
  deleteSegments,
  readSegments,
  type StoredSegment,
  switchToStaged,
} from '../stores/segments.ts';
import { findTranscript, updateTranscript } from '../stores/transcripts.ts';
import { firstCheckpoint, furthest, matchingCheckpoint } from './checkpoint.ts';
import { creditRateOf, creditsFor, reserveCredits } from './credits.ts';
import type { JobContext, JobWork, PipelineDeps, PipelineModel } from './deps.ts';
import { analyzeTranscript, type Findings, prepareText, storeEmbeddings } from './findings/analyze.ts';
import { inOneScript } from './findings/chinese-script.ts';
import { type Diarized, diarizeTranscript } from './findings/diarize.ts';
import { isReanalysis, reanalyze } from './findings/reanalyze.ts';
import { keepLiveText, markLiveDifferences, removeLiveText } from './live/live-text.ts';
import { audioStreamsOf, type RecognizedStream } from './recognition/audio-streams.ts';
import { recognizeAudio } from './recognition/chunk-scheduler.ts';
import { noteWarnings } from './recognition/notes.ts';
import type { AudioRange } from './recognition/progress.ts';
import { chunkingFor } from './recognition/recognizer.ts';
import {
  channelSpeakers,
  inOrderOfTime,
  removeLevels,
  settleChannels,
} from './recognition/settle-channels.ts';
import { requireSpeech } from './recognition/speech-map.ts';
import { driftWarning } from './recognition/spoken-language.ts';
import { secondPass, verifyTranscript } from './recognition/verify.ts';
import { keepRedactedAudio } from './redaction/audio.ts';
import { dropUnredacted, redactedOptions, settleSource } from './redaction/erase.ts';
import { redactNames } from './redaction/names.ts';
import {
  keepPlaybackAudio,
  type PlaybackAudio,
  RangeAudio,
  recognizedRecording,
  transcriptFolder,
} from './source/recording.ts';
import { resolveSource, type Source } from './source/resolve.ts';
import { keepForRetry, removeWorkFolder, workFolder } from './source/work-folder.ts';

/**
 * Reserves the price of the range as far as its length is declared, and more with each chunk that is decoded beyond it, so
 * that no chunk is recognized that the budget does not cover. Throws `budget_exceeded`.
 */
const mediaWithinBudget = (
  { db, media, settings }: PipelineDeps,
  transcript: Transcript,
  { start, expectedEnd }: AudioRange,
  streams: number,
): Pick<PipelineDeps['media'], 'decodeChunks'> => {
  const rate = creditRateOf(transcript, settings.creditRate, streams);
  const priceTo = (end: number): number => creditsFor(Math.max(0, end - start), rate);
  let reserved = transcript.creditsReserved;
  const reserve = (credits: number): void => {
    reserveCredits(db, transcript, credits);
    reserved = credits;
  };
  if (Number.isFinite(expectedEnd)) reserve(priceTo(expectedEnd));
  return {
    decodeChunks: (input, options) => {
      const decode = media.decodeChunks(input, options);
      const chunks = async function* () {
        for await (const chunk of decode.chunks) {
          if (priceTo(chunk.end) > reserved) reserve(priceTo(chunk.end));
          yield chunk;
        }
      };
      return { chunks: chunks(), summary: () => decode.summary() };
    },
  };
};

/** Progress of the whole job at the end of the model's download; that of the audio starts from 0 again. */
const MODEL_PERCENT = 10;
/** The analyses' part of the whole job; covering and checking redacted audio follows. */
const ANALYSIS_START_PERCENT = 95;
const ANALYSIS_END_PERCENT = 97;

const prepareModel = (deps: PipelineDeps, { signal, onProgress }: JobContext, name: string) =>
  deps.models.prepare(name, {
    signal,
    onDownload: (share) =>
      onProgress({
        stage: 'downloading_model',
        percent: share * MODEL_PERCENT,
        etaSeconds: null,
        speed: null,
      }),
  });

/** Throws `no_audio_track` if there is nothing to decode. */
const probeSource = async (deps: PipelineDeps, context: JobContext, source: Source): Promise<MediaInfo> => {
  const { transcript, signal } = context;
  context.onProgress({ stage: 'decoding', percent: 10, etaSeconds: null, speed: null });
  let info: MediaInfo;
  try {
    info = await deps.media.probe(source.input, {
      signal,
      tracks: transcript.options.multichannel ? 'all' : 'first',
    });
  } catch (error) {
    source.throwIfFailed();
    throw error;
  }
  if (info.audioStreams.length === 0) {
    throw new AppError('no_audio_track', 'This file has no sound: it holds no audio track.');
  }
  updateClaimed(deps.db, transcript.id, transcript.attempt, {
    fileName: source.name,
    fileSize: source.size ?? info.size ?? 0,
    fileFormat: info.format,
  });
  return info;
};

/**
 * The requested range. Without a requested end the decoder finds it: a container's declared duration may be an estimate,
 * and cutting there would lose what follows.
 */
const rangeOf = ({ audioStartFrom, audioEndAt }: Transcript, info: MediaInfo): AudioRange => {
  const end = audioEndAt === 0 ? null : audioEndAt;
  return { start: audioStartFrom, end, expectedEnd: Math.min(end ?? Infinity, info.duration ?? Infinity) };
};

/** The saved checkpoint if it belongs to this source and model; else a new one, with earlier segments deleted. */
const resumeOrStart = (
  deps: PipelineDeps,
  { transcript }: JobContext,
  source: Source,
  model: PipelineModel,
  streams: readonly RecognizedStream[],
): RecognitionCheckpoint => {
  const recognized = { source: source.identity, model: model.id, streams: streams.length };
  const saved = matchingCheckpoint(transcript, recognized);
  if (saved !== undefined) return saved;
  const requested = transcript.languageAsked === 'auto' ? null : transcript.languageAsked;
  const checkpoint: RecognitionCheckpoint = {
    ...firstCheckpoint(transcript.audioStartFrom, recognized),
    language: requested ?? model.capabilities.onlyLanguage,
    languageConfidence: requested === null ? null : 1,
  };
  deps.db.transaction(() => {
    deleteSegments(deps.db, transcript.id);
    deleteEdits(deps.db, transcript.id);
    updateClaimed(deps.db, transcript.id, transcript.attempt, {
      checkpoint: null,
      modelId: model.id,
      language: checkpoint.language,
      languageConfidence: checkpoint.languageConfidence,
    });
  });
  return checkpoint;
};

type Models = {
  readonly model: PipelineModel;
  /** Recognizes the audio again, if the request names one. */
  readonly verifier: PipelineModel | undefined;
};

/** Throws `model_not_installed`, `cancelled`. */
const prepareModels = async (deps: PipelineDeps, context: JobContext): Promise<Models> => {
  const { model, options } = context.transcript;
  return {
    model: await prepareModel(deps, context, model),
    verifier:
      options.verify_with === undefined ? undefined : await prepareModel(deps, context, options.verify_with),
  };
};

/** Decodes and recognizes the source; its segments are stored chunk by chunk. */
const recognizeSource = async (
  deps: PipelineDeps,
  context: JobContext,
  { source, info, model, verifier }: { source: Source; info: MediaInfo } & Models,
) => {
  const { transcript } = context;
  const range = rangeOf(transcript, info);
  const streams = audioStreamsOf(info, transcript.options);
  if (transcript.options.multichannel) {
    updateClaimed(deps.db, transcript.id, transcript.attempt, { channels: streams.length });
  }
  const media = mediaWithinBudget(deps, transcript, range, streams.length);
  const checkpoint = resumeOrStart(deps, context, source, model, streams);
  const rangeAudio =
    source.input.kind === 'range'
      ? await RangeAudio.open(workFolder(deps, transcript), furthest(checkpoint))
      : null;
  const recognized = await recognizeAudio({
    deps: { ...deps, media },
    context,
    source,
    model,
    checkpoint,
    audio: rangeAudio,
    range,
    chunking: chunkingFor(model, ...(verifier === undefined ? [] : [verifier])),
    streams,
    folder: transcriptFolder(deps, transcript.id),
    next: verifier && secondPass(deps.models, model, verifier, range.expectedEnd - range.start),
  });
  const recording = await recognizedRecording(transcript, source.input, rangeAudio);
  return { ...recognized, streams: streams.length, rangeAudio, recording };
};

/** What was recognized, with Chinese in one script. A translation is not in the language that is spoken. */
const readRecognized = async (
  deps: PipelineDeps,
  { id, options }: Transcript,
  language: string | null,
): Promise<readonly StoredSegment[]> => {
  const segments = readSegments(deps.db, id);
  return options.translate ? segments : inOneScript(segments, language, options.chinese_script);
};

type Outcome = {
  readonly summary: DecodeSummary;
  /** How many streams of audio were recognized. */
  readonly streams: number;
  readonly checkpoint: RecognitionCheckpoint;
  /** The most spoken language; null if nothing was said. */
  readonly language: string | null;
  readonly model: PipelineModel;
  /** Where the text may be wrong. */
  readonly doubts: readonly StoredWarning[];
  readonly diarized: Diarized;
  readonly findings: Findings;
  readonly audio: PlaybackAudio;
  /** The redacted name and file name; empty if they stay. */
  readonly names: Awaited<ReturnType<typeof redactNames>>;
};

const standInWarning = ({ id, standsInFor }: PipelineModel): StoredWarning[] =>
  standsInFor === null ? [] : [warningOf('model_stands_in', { model: id, wanted: standsInFor })];

const promptWarning = ({ options }: Transcript, { id, capabilities }: PipelineModel): StoredWarning[] =>
  options.prompt === undefined || capabilities.prompt ? [] : [warningOf('prompt_ignored', { model: id })];

/** No one is heard in the track that was recognized, and there are others. */
const silentTrackWarning = (
  { options }: Transcript,
  { audioStreams }: MediaInfo,
  { segments }: Findings,
): StoredWarning[] =>
  segments.length > 0 || options.multichannel || audioStreams.length === 1
    ? []
    : [warningOf('first_track_silent', { tracks: audioStreams.length })];

const warningsOf = (
  transcript: Transcript,
  { model, summary, doubts, audio, findings }: Outcome,
): readonly StoredWarning[] => [
  ...standInWarning(model),
  ...promptWarning(transcript, model),
  ...summary.warnings,
  ...doubts,
  ...audio.warnings,
  ...findings.warnings,
];

/** Writes the finished transcript and its price, all or nothing. */
const persist = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  outcome: Outcome,
): Promise<void> => {
  const { summary, streams, checkpoint, language, model, diarized, findings, audio, names } = outcome;
  const text = await prepareText(deps.db, transcript, findings.segments);
  const now = deps.clock.now();
  const rate = creditRateOf(transcript, deps.settings.creditRate, streams);
  const credits = creditsFor(summary.duration, rate);
  const source = deps.db.transaction(() => {
    switchToStaged(deps.db, text.segments);
    deleteEdits(deps.db, transcript.id);
    storeEmbeddings(deps.db, transcript, diarized);
    const settled = settleSource(deps, transcript);
    const isMine = updateClaimed(deps.db, transcript.id, transcript.attempt, {
      ...text.totals,
      analysis: {
        ...findings.analysis,
        ...(audio.report === undefined
          ? {}
          : { redaction_report: { ...audio.report, source: settled.outcome } }),
      },
      ...names,
      ...settled.change,
      options: redactedOptions(transcript.options),
      modelId: model.id,
      duration: summary.duration,
      language,
      languageConfidence: checkpoint.languageConfidence,
      warnings: [...warningsOf(transcript, outcome), ...settled.warnings],
      creditsUsed: credits,
      creditsReserved: 0,
      audioFile: audio.file,
      audioOffset: audio.offset,
      percent: 100,
    });
    if (!isMine) throw new AppError('interrupted', 'This job was taken over.');
    updateTranscript(
      deps.db,
      transcript.id,
      { status: 'completed', lease: null, completedAt: now, checkpoint: null },
      text.indexed,
    );
    chargeCredits(deps.db, {
      transcriptId: transcript.id,
      userId: transcript.userId,
      model: transcript.model,
      month: new Date(now).toISOString().slice(0, 7),
      seconds: summary.duration,
      credits,
      chargedAt: now,
    });
    // The search index has never had the unredacted text.
    if (transcript.options.redact_pii) markForScrub(deps.db, 'log');
    return settled;
  });
  await deleteReplaced(deps.db, text.segments);
  await source.finish();
  if (transcript.options.redact_pii) await scrubLog(deps.db, signal);
};

/** Prepare models → resolve source → decode → recognize → verify → diarize → analyze → redact → persist. */
const transcribe = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { transcript } = context;
  const { options } = transcript;
  // First, so that a job without its model fails before any audio is downloaded for it.
  const { model, verifier } = await prepareModels(deps, context);
  const source = await resolveSource(deps, context);
  try {
    const info = await probeSource(deps, context, source);
    await keepLiveText(deps, transcript);
    const { summary, streams, checkpoint, rangeAudio, recording } = await recognizeSource(deps, context, {
      source,
      info,
      model,
      verifier,
    });
    const verification =
      verifier === undefined
        ? []
        : await verifyTranscript({
            deps,
            context,
            recording,
            model: verifier,
            after: model,
            checkpoint,
            duration: summary.duration,
          });
    await markLiveDifferences(deps, context);
    const segments = await readRecognized(deps, transcript, checkpoint.language);
    requireSpeech(segments, summary.duration, options.speech_threshold);
    const language = spokenLanguages(segments)[0]?.language ?? checkpoint.language;
    const drift = await driftWarning(model, language, segments);
    const diarized = options.multichannel
      ? await settleChannels(segments, {
          folder: transcriptFolder(deps, transcript.id),
          channels: streams,
          start: transcript.audioStartFrom,
        })
      : await diarizeTranscript(deps, context, { recording, segments }, options);
    const findings = await analyzeTranscript(deps, context, {
      recording,
      model: async () => model,
      language,
      diarized,
      onProgress: (share) =>
        context.onProgress({
          stage: 'analyzing',
          percent: ANALYSIS_START_PERCENT + share * (ANALYSIS_END_PERCENT - ANALYSIS_START_PERCENT),
          etaSeconds: null,
          speed: null,
        }),
    });
    const audio = options.redact_pii
      ? await keepRedactedAudio(deps, context, { recording, model, language, secrets: findings.secrets })
      : await keepPlaybackAudio(deps, context, source, info, rangeAudio);
    const names = await redactNames(deps, context, { language, secrets: findings.secrets });
    await persist(deps, context, {
      summary,
      streams,
      checkpoint,
      language,
      model,
      doubts: [
        ...silentTrackWarning(transcript, info, findings),
        ...noteWarnings(checkpoint.notes),
        ...drift,
        ...verification,
      ],
      diarized,
      findings,
      audio,
      names,
    });
  } finally {
    await source.close();
  }
};

/** Whether the job stays in the queue and resumes later, so that its work folder must stay. */
const isInterrupted = (deps: PipelineDeps, { transcript, signal }: JobContext, error: unknown): boolean => {
  const isStopped = signal.reason === 'shutdown' || (isAppError(error) && error.code === 'interrupted');
  return isStopped && findTranscript(deps.db, transcript.id) !== undefined;
};

/** Shows the text so far with the failure, or drops it if it should have been redacted; keeps what a retry can use. */
const persistFailure = async (
  deps: PipelineDeps,
  { transcript }: JobContext,
  reason: unknown,
): Promise<void> => {
  const { id, attempt, options } = transcript;
  try {
    if (options.redact_pii) {
      dropUnredacted(deps.db, id);
      runPendingScrub(deps.db);
    } else {
      const saved = await readRecognized(deps, transcript, transcript.language);
      // Chunk by chunk of each channel, as they were recognized.
      const segments = options.multichannel ? inOrderOfTime(saved) : saved;
      const text = await prepareText(deps.db, transcript, segments);
      const analysis = options.multichannel ? { speakers: channelSpeakers(segments) } : undefined;
      deps.db.transaction(() => {
        switchToStaged(deps.db, text.segments);
        updateClaimed(deps.db, id, attempt, { ...text.totals, analysis }, text.indexed);
      });
      await deleteReplaced(deps.db, text.segments);
    }
  } catch (error) {
    // The segments are saved already; if the disk is full, removing the work folder is what helps.
    deps.logger.warn({ transcript: id, reason: messageOf(error) }, 'The text so far was not written');
  }
  await keepForRetry(deps, transcript, reason);
};

/** Runs a job: the transcription of its audio, or the reanalysis of a finished transcript. */
export const createJobWork =
  (deps: PipelineDeps): JobWork =>
  async (context) => {
    if (isReanalysis(context.transcript)) return reanalyze(deps, context);
    try {
      await transcribe(deps, context);
      await removeLevels(transcriptFolder(deps, context.transcript.id));
      await removeLiveText(deps, context.transcript.id);
      await removeWorkFolder(deps, context.transcript);
    } catch (error) {
      if (!isInterrupted(deps, context, error)) await persistFailure(deps, context, error);
      throw error;
    }
  };
