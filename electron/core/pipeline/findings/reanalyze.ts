import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions, AnalyzeTranscript } from '../../../contract/transcript.ts';
import { type StoredWarning, uniqueWarnings, warningOf } from '../../../contract/warnings.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { createYielder } from '../../base/event-loop.ts';
import type {
  ReanalysisCheckpoint,
  StoredAnalysis,
  Transcript,
  TranscriptChange,
} from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { addEdit, deleteEdits, type EditPatch, encodePatch } from '../../stores/edits.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { scrubIndex, scrubLog } from '../../stores/scrub.ts';
import { markForScrub } from '../../stores/scrub-mark.ts';
import {
  deleteReplaced,
  differingSpan,
  readSegments,
  type StoredSegment,
  switchToStaged,
} from '../../stores/segments.ts';
import { findChangeable } from '../../stores/transcripts.ts';
import type { JobContext, PipelineDeps, PipelineModel } from '../deps.ts';
import { joinReports, keepRedactedAudio, restoreAudio } from '../redaction/audio.ts';
import { markPrivate, type ShownSpan, showWords } from '../redaction/chosen-words.ts';
import { redactedOptions, settleSource } from '../redaction/erase.ts';
import { redactNames, redactsNames } from '../redaction/names.ts';
import { ENCODED_FILE, type PlaybackAudio, playedRecording, transcriptFolder } from '../source/recording.ts';
import { removeWorkFolder } from '../source/work-folder.ts';
import { analyzeTranscript, type Findings, findingsFields, prepareText, storeEmbeddings } from './analyze.ts';
import { type Diarized, diarizeTranscript } from './diarize.ts';
import { type Speakers, withoutNames } from './diarize-words.ts';

/** Segments that one patch brings back: undoing it takes 20 to 40 ms. */
const BATCH = 400;

type Span = EditPatch['spans'][number];

/** How to take back the new segments part by part: each span fits once those after it are taken back. */
const inverseParts = async (
  before: readonly StoredSegment[],
  after: readonly StoredSegment[],
): Promise<Span[]> => {
  const yieldIfDue = createYielder();
  const parts: Span[] = [];
  let at = 0;
  for (let from = 0; from < before.length; from += BATCH) {
    const next = before[from + BATCH];
    const found =
      next === undefined ? -1 : after.findIndex(({ start }, index) => index >= at && start >= next.start);
    const to = found === -1 ? after.length : found;
    const old = before.slice(from, from + BATCH);
    for (const span of differingSpan(old, after.slice(at, to))) {
      const segments = old.slice(span.at, span.at + span.count);
      parts.push({ at: at + span.at, count: span.segments.length, segments });
    }
    at = to;
    await yieldIfDue();
  }
  return parts;
};

/**
 * What undoes a new diarization, encoded: one edit for each part of a long transcript. None if nothing changed.
 */
const diarizationPatches = async (
  db: ReadableDb,
  { id, analysis }: Pick<Transcript, 'id' | 'analysis'>,
  {
    segments,
    speakers,
    embeddings,
  }: Pick<Diarized, 'segments' | 'embeddings'> & { readonly speakers: Speakers | undefined },
): Promise<string[]> => {
  const yieldIfDue = createYielder();
  const spans = await inverseParts(readSegments(db, id), segments);
  if (spans.length === 0 && isDeepStrictEqual(speakers, analysis.speakers)) return [];
  // In each, since an edit of segments alone would move shares of talk.
  const undo = { speakers: analysis.speakers ?? null, forgetsVoices: embeddings !== undefined };
  const patches = [encodePatch({ ...undo, spans: spans.slice(0, 1) })];
  for (const span of spans.slice(1)) {
    await yieldIfDue();
    patches.push(encodePatch({ ...undo, spans: [span], follows: true }));
  }
  return patches;
};

const checkpointOf = ({ checkpoint }: Pick<Transcript, 'checkpoint'>): ReanalysisCheckpoint | undefined =>
  checkpoint?.kind === 'reanalysis' ? checkpoint : undefined;

/** Whether this job only analyzes a finished transcript again, without recognizing its audio. */
export const isReanalysis = (transcript: Pick<Transcript, 'checkpoint'>): boolean =>
  checkpointOf(transcript) !== undefined;

/** The fields that queue a finished transcript for a reanalysis. */
export const queuedForReanalysis = (
  transcript: Pick<Transcript, 'options' | 'completedAt'>,
  options: AnalysisOptions,
  {
    diarize,
    diarize_from: diarizeFrom,
    chosen,
  }: Pick<AnalyzeTranscript, 'diarize' | 'diarize_from'> & Pick<ReanalysisCheckpoint, 'chosen'>,
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
    ...(diarizeFrom === undefined ? {} : { diarizeFrom }),
    ...(chosen === undefined ? {} : { chosen }),
  },
});

/** The fields that end a reanalysis without a result: the transcript is as it was before, with a warning. */
export const abandonedReanalysis = (
  transcript: Pick<Transcript, 'checkpoint' | 'warnings' | 'options'>,
  warning: StoredWarning,
): TranscriptChange => {
  const before = checkpointOf(transcript);
  return {
    status: 'completed',
    lease: null,
    percent: 100,
    checkpoint: null,
    options: before?.options ?? transcript.options,
    completedAt: before?.completedAt ?? null,
    warnings: uniqueWarnings([...transcript.warnings, warning]),
  };
};

/** The model of the transcript; null if it is no longer installed. */
const findModel = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
): Promise<PipelineModel | null> => {
  try {
    const name = transcript.modelId ?? transcript.model;
    return await deps.models.prepare(name, { signal, onDownload: () => {} });
  } catch (error) {
    throwIfAborted(signal);
    if (isAppError(error)) return null;
    throw error;
  }
};

/** Whether this reanalysis redacts names of people that an earlier one left in. */
const redactsPeopleNow = (transcript: Transcript): boolean => {
  const earlier = checkpointOf(transcript)?.options ?? transcript.options;
  const redactsPeople = ({ redact_pii, redact_pii_policies }: AnalysisOptions): boolean =>
    redact_pii && resolvePolicies(redact_pii_policies).includes('person_name');
  return redactsPeople(transcript.options) && !redactsPeople(earlier);
};

type Outcome = {
  readonly findings: Findings;
  readonly diarized: Diarized;
  /** Null if the audio stays as it is. */
  readonly audio: PlaybackAudio | null;
  /** The redacted name and file name; empty if they stay. */
  readonly names: Awaited<ReturnType<typeof redactNames>>;
  readonly shown: readonly ShownSpan[];
};

/**
 * Makes a new diarization an edit that can be undone, and forgets all edits if the text is redacted now. Call it in
 * the transaction that replaces the segments, with the patches that undo the diarization. Returns the new revision.
 */
const recordDiarization = (
  { db, clock }: PipelineDeps,
  transcript: Transcript,
  patches: readonly string[],
): number => {
  const { id, options } = transcript;
  const known = findChangeable(db, id)?.revision ?? transcript.revision;
  const isCount = checkpointOf(transcript)?.chosen?.segments.length === 0;
  if (options.redact_pii && !isCount) deleteEdits(db, id);
  else {
    for (const [index, patch] of patches.entries()) {
      addEdit(db, id, { number: known + 1 + index, kind: 'diarization', createdAt: clock.now() }, patch);
    }
  }
  return known + Math.max(1, patches.length);
};

type Counts = StoredAnalysis['private_data'];

/** What an earlier redaction hid stays hidden, but for what is shown again. */
const withEarlierCounts = (
  now: Counts,
  earlier: Counts,
  shown: readonly ShownSpan[],
): Pick<StoredAnalysis, 'private_data'> => {
  if (now === undefined || earlier === undefined) return {};
  const hidden = { ...earlier.hidden };
  for (const [policy, count] of Object.entries(now.hidden)) hidden[policy] = (hidden[policy] ?? 0) + count;
  for (const { policy } of shown) {
    const left = (hidden[policy] ?? 0) - 1;
    if (left > 0) hidden[policy] = left;
    else delete hidden[policy];
  }
  return { private_data: { hidden, left: now.left } };
};

/** Writes the findings, all or nothing. */
const persist = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  { findings, diarized, audio, names, shown }: Outcome,
): Promise<void> => {
  const merged: StoredAnalysis = {
    ...transcript.analysis,
    ...findings.analysis,
    ...withEarlierCounts(findings.analysis.private_data, transcript.analysis.private_data, shown),
  };
  // Names that a person gave to speakers are as private as those that were said.
  const speakers =
    merged.speakers && redactsPeopleNow(transcript) ? withoutNames(merged.speakers) : merged.speakers;
  const isRedacted = transcript.options.redact_pii;
  const text = await prepareText(deps.db, transcript, findings.segments);
  const patches =
    checkpointOf(transcript)?.diarize === true && !isRedacted
      ? await diarizationPatches(deps.db, transcript, { ...diarized, segments: findings.segments, speakers })
      : [];
  const isErased = text.totals.text !== transcript.text || Object.keys(names).length > 0;
  // The entry left the index when the reanalysis was requested. Its words leave the file before the end is announced.
  if (isRedacted && isErased) await scrubIndex(deps.db, signal);
  const source = deps.db.transaction(() => {
    const revision = recordDiarization(deps, transcript, patches);
    switchToStaged(deps.db, text.segments);
    storeEmbeddings(deps.db, transcript, diarized);
    const settled = settleSource(deps, transcript);
    const analysis = {
      ...merged,
      ...(speakers === undefined ? {} : { speakers }),
      ...(audio?.report === undefined
        ? {}
        : {
            redaction_report: {
              ...joinReports(audio.report, transcript.analysis.redaction_report),
              source: settled.outcome,
            },
          }),
    };
    const warnings = [...findings.warnings, ...(audio?.warnings ?? []), ...settled.warnings];
    const change = {
      ...findingsFields(transcript, { segments: findings.segments, analysis, warnings }, {}, text.totals),
      // The same text is in the index already.
      ...(text.totals.text === transcript.text ? { text: undefined } : {}),
      ...(audio === null ? {} : { audioFile: audio.file, audioOffset: audio.offset }),
      ...names,
      ...settled.change,
      revision,
      options: redactedOptions(transcript.options),
      // The title and chapters of a web page may contain what is redacted.
      ...(redactsNames(transcript.options) ? { source: null } : {}),
      status: 'completed',
      percent: 100,
      lease: null,
      checkpoint: null,
      completedAt: deps.clock.now(),
    } as const;
    const isMine = updateClaimed(deps.db, transcript.id, transcript.attempt, change, text.indexed);
    if (!isMine) throw new AppError('interrupted', 'This job was taken over.');
    if (isRedacted) markForScrub(deps.db, 'log');
    return settled;
  });
  await deleteReplaced(deps.db, text.segments);
  await source.finish();
  if (transcript.options.redact_pii) await scrubLog(deps.db, signal);
};

type Stored = {
  readonly segments: readonly StoredSegment[];
  readonly warnings: readonly StoredWarning[];
  /** Where words are shown again that the sound still covers; seconds. */
  readonly shown: readonly ShownSpan[];
};

/** The stored segments, with what a person chose to hide marked, or with what is shown again in its place. */
const readChosen = async (
  deps: PipelineDeps,
  context: JobContext,
  original: string | undefined,
): Promise<Stored> => {
  const { transcript } = context;
  const { chosen } = checkpointOf(transcript) ?? {};
  const segments = readSegments(deps.db, transcript.id);
  if (chosen === undefined) return { segments, warnings: [], shown: [] };
  if (chosen.private) return { segments: markPrivate(segments, chosen.segments), warnings: [], shown: [] };
  const model = await findModel(deps, context);
  if (original === undefined || model === null)
    return { segments, warnings: [warningOf('words_stay_hidden')], shown: [] };
  const found = await showWords(deps, context, { path: original, model }, segments, chosen.segments);
  const warnings = found.missed > 0 ? [warningOf('words_stay_hidden')] : [];
  return { segments: found.segments, warnings, shown: found.spans };
};

/** Covers what is redacted now, or uncovers what is shown again; null if the audio stays as it is. */
const redactAudio = async (
  deps: PipelineDeps,
  context: JobContext,
  { recording, secrets }: Pick<Parameters<typeof keepRedactedAudio>[2], 'recording' | 'secrets'>,
  shown: readonly ShownSpan[],
  original: string | undefined,
): Promise<PlaybackAudio | null> => {
  const { options, audioFile, analysis, language } = context.transcript;
  if (!options.redact_pii) return null;
  const { chosen } = checkpointOf(context.transcript) ?? {};
  if (chosen !== undefined && secrets.length + shown.length === 0) return null;
  if (chosen?.private !== false) {
    const model = await findModel(deps, context);
    return keepRedactedAudio(deps, context, { recording, model, language, secrets });
  }
  if (audioFile === null || recording === null || original === undefined) return null;
  await restoreAudio(deps, context, recording, original, shown);
  // Joined with the earlier report, it takes these spans from those that were covered.
  const covered = analysis.redaction_report?.spans ?? 0;
  const report = { checked: true, spans: -Math.min(covered, shown.length), audible: [] };
  return { file: ENCODED_FILE, offset: recording.offset, warnings: [], report };
};

/** Diarize → analyze → redact → persist. */
const run = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { transcript } = context;
  const { options, language, analysis, fileId } = transcript;
  const recording = await playedRecording(deps, transcript);
  const original = fileId === null ? undefined : (await deps.files.locate(fileId))?.path;
  const stored = await readChosen(deps, context, original);
  const diarized = await diarizeTranscript(
    deps,
    context,
    {
      recording,
      segments: stored.segments,
      speakers: analysis.speakers,
      from: checkpointOf(transcript)?.diarizeFrom,
    },
    { ...options, diarize: checkpointOf(transcript)?.diarize ?? false },
  );
  const isChosen = checkpointOf(transcript)?.chosen !== undefined;
  const wanted = isChosen ? { ...options, redact_pii_policies: ['redacted' as const] } : options;
  const analyzed = { ...context, transcript: { ...transcript, options: wanted } };
  const findings = await analyzeTranscript(deps, analyzed, {
    recording,
    model: () => findModel(deps, context),
    language,
    diarized,
    onProgress: (share) =>
      context.onProgress({ stage: 'analyzing', percent: share * 90, etaSeconds: null, speed: null }),
  });
  const { secrets } = findings;
  const audio = await redactAudio(deps, context, { recording, secrets }, stored.shown, original);
  const names = await redactNames(deps, context, { language, secrets });
  const warnings = [...stored.warnings, ...findings.warnings];
  const { shown } = stored;
  await persist(deps, context, { findings: { ...findings, warnings }, diarized, audio, names, shown });
  if (audio !== null && transcript.audioFile !== null && transcript.audioFile !== audio.file) {
    await rm(join(transcriptFolder(deps, transcript.id), transcript.audioFile), { force: true });
  }
};

/**
 * Analyzes a finished transcript again, from its stored words. If that fails or is cancelled, the transcript stays as
 * it was, with a warning. With `redact_pii` the stored text, words and audio are redacted for good.
 */
export const reanalyze = async (deps: PipelineDeps, context: JobContext): Promise<void> => {
  const { transcript, signal } = context;
  try {
    await run(deps, context);
  } catch (error) {
    const isInterrupted = signal.reason === 'shutdown' || (isAppError(error) && error.code === 'interrupted');
    if (isInterrupted || signal.reason === 'deleted') throw error;
    deps.logger.warn({ transcript: transcript.id, reason: messageOf(error) }, 'A reanalysis failed');
    const warning =
      signal.reason === 'cancelled'
        ? warningOf('analysis_cancelled')
        : warningOf('analysis_failed', { reason: 'something went wrong' });
    updateClaimed(deps.db, transcript.id, transcript.attempt, abandonedReanalysis(transcript, warning));
  } finally {
    await removeWorkFolder(deps, transcript);
  }
};
