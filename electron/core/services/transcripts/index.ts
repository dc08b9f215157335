import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ServerEvent } from '../../../contract/events.ts';
import type {
  AnalysisOptions,
  AnalyzeTranscript,
  CreateTranscript,
  ForeignRequest,
  Mark,
  Transcription,
  TranscriptSummary,
} from '../../../contract/transcript.ts';
import type { RedactWords, TranscriptEdit } from '../../../contract/transcript-edits.ts';
import type { RecentItem, UserListQuery } from '../../../contract/transcript-list.ts';
import { warningOf } from '../../../contract/warnings.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { sha256Hex } from '../../base/ids.ts';
import type { DataPaths } from '../../base/paths.ts';
import type { JobEvents, JobProgress } from '../../jobs/events.ts';
import type { JobRunner } from '../../jobs/runner.ts';
import { creditRateOf, creditsAtCreation, reserveCredits } from '../../pipeline/credits.ts';
import type { Analyzer } from '../../pipeline/findings/analyze.ts';
import { abandonedReanalysis, isReanalysis, queuedForReanalysis } from '../../pipeline/findings/reanalyze.ts';
import { dropUnredacted } from '../../pipeline/redaction/erase.ts';
import { redactNamesOfFailed } from '../../pipeline/redaction/names.ts';
import type { Transcript, TranscriptChange } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import { lastQueueOrder } from '../../stores/jobs.ts';
import { runPendingScrub } from '../../stores/scrub.ts';
import { markForScrub } from '../../stores/scrub-mark.ts';
import { countSegments, readSegments, type StoredSegment } from '../../stores/segments.ts';
import { readSpeakerEmbeddings } from '../../stores/speakers.ts';
import * as store from '../../stores/transcripts.ts';
import { findIdempotent, rememberIdempotent } from '../../stores/transcripts.ts';
import { readUserVocabulary, type UserRecord } from '../../stores/users.ts';
import type { EventHub } from '../events.ts';
import type { ModelService } from '../models/index.ts';
import type { SpeakerService } from '../speakers.ts';
import {
  checkInstalled,
  checkModel,
  checkSamples,
  newTranscript,
  type OwnFiles,
  sourceOf,
  withoutRegion,
} from './create.ts';
import { type EditOutcome, editsOf, TranscriptEdits } from './edits.ts';
import { type FollowUpAnalyses, optionsAgain } from './follow-up.ts';
import { listOf, recentOf } from './list.ts';
import {
  errorOf,
  type Outline,
  presentChange,
  presentSegments,
  presentTranscript,
  progressOf,
  type WholeTranscript,
} from './present.ts';
import { checkChosen, optionsToRedact } from './redact.ts';

type Deps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly paths: DataPaths;
  readonly models: ModelService;
  /** Credits per minute of audio. */
  readonly creditRate: (model: string) => number;
  readonly events: EventHub;
  readonly files: OwnFiles;
  readonly jobs: JobRunner;
  readonly jobEvents: JobEvents;
  /** What ends each live session, by the id of its transcript, so that nothing is written to it any more. */
  readonly liveSessions: ReadonlyMap<string, () => Promise<void>>;
  readonly speakers: SpeakerService;
  readonly analyze: Analyzer;
  readonly followUp: FollowUpAnalyses;
  readonly baseUrl: () => string;
};

/**
 * As its creator asked for it, with suggested names of speakers or, for programs it is delivered to, without; or with
 * words, whatever its `timestamp_style`: also while it is worked on, or only then not.
 */
export type TranscriptForm = 'asked' | 'delivered' | 'words' | 'finished';

/** The events that carry a transcript's summary. */
type TranscriptEventType = Extract<ServerEvent, { readonly transcript: unknown }>['type'];

const notFound = () => new AppError('transcript_not_found', 'There is no such transcription.');

/** Creates, reads, edits and deletes a user's transcripts. JobRunner executes the jobs. */
export class TranscriptService {
  readonly #deps: Deps;
  readonly edits: TranscriptEdits;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.edits = new TranscriptEdits({
      ...deps,
      stored: (userId, id) => this.stored(userId, id),
      publishChange: (id) => this.publish('transcript.changed', id),
    });
    const { jobEvents } = deps;
    jobEvents.on('progress', (progress) => this.#publishProgress(progress));
    jobEvents.on('finished', ({ id, userId, status, options }) => {
      // Events of an earlier analysis may carry the text from before its redaction.
      if (options.redact_pii) deps.events.forget(userId);
      this.publish(status === 'completed' ? 'transcript.completed' : 'transcript.failed', id);
    });
  }

  /**
   * Queues a transcript, and returns its outline. A repeated `idempotencyKey` answers with the transcript of the first
   * request. Throws before anything is stored where the request cannot be met as it is, also for a model that is missing.
   */
  create(
    user: UserRecord,
    requested: CreateTranscript,
    idempotencyKey: string | undefined,
    foreign?: ForeignRequest,
  ): Transcription {
    const { db, clock, models, files, creditRate, jobs } = this.#deps;
    const body = withoutRegion(requested);
    checkModel(models, body);
    const source = sourceOf(files, user.id, body.audio_url);
    checkSamples(files, user.id, body);
    const bodyHash = sha256Hex(JSON.stringify(requested));
    const { transcript, isNew } = db.transaction(() => {
      const earlier = this.#createdBefore(user.id, idempotencyKey, bodyHash);
      if (earlier !== undefined) return { transcript: earlier, isNew: false };
      // Here, as a repeated request is answered whatever has become of the model.
      checkInstalled(models, body.model, 'model');
      const queueOrder = lastQueueOrder(db) + 1;
      const made = { userId: user.id, source, queueOrder, now: clock.now(), foreign };
      const created = newTranscript({ ...body, vocabulary: this.vocabularyOf(user.id, body) }, made);
      store.insertTranscript(db, created);
      reserveCredits(db, created, creditsAtCreation(created, creditRateOf(created, creditRate)));
      if (idempotencyKey !== undefined) {
        rememberIdempotent(db, {
          userId: user.id,
          key: idempotencyKey,
          bodyHash,
          transcriptId: created.id,
          createdAt: clock.now(),
        });
      }
      return { transcript: created, isNew: true };
    });
    // Without its segments: only a repeated request finds a transcript that has some.
    const { transcription: answer } = this.outline(user.id, transcript.id, 'asked');
    if (isNew) {
      this.publish('transcript.created', transcript.id);
      jobs.wake();
    }
    return answer;
  }

  /** Resolves when the job of a transcript is settled, or the signal fires. */
  wait(id: string, signal: AbortSignal): Promise<void> {
    return this.#deps.jobs.waitFor(id, signal);
  }

  list(userId: string, query: UserListQuery) {
    return listOf(this.#deps, userId, query);
  }

  recent(userId: string, limit: number): RecentItem[] {
    return recentOf(this.#deps, userId, limit);
  }

  /** The user's waiting and running transcripts, in the queue's order. */
  processing(userId: string): TranscriptSummary[] {
    return store.findProcessing(this.#deps.db, userId).map((stored) => this.summary(stored));
  }

  /** The transcription without its segments, for a thread that reads them. Throws what `whole` throws. */
  outline(userId: string, id: string, form: TranscriptForm): Outline {
    const { transcript, withWords } = this.#inForm(userId, id, form);
    const transcription = this.#suggest(transcript, this.#present(transcript, []), form);
    const isGrowing = transcript.status === 'processing' && !isReanalysis(transcript);
    const isShown = isGrowing && !this.#isHidden(transcript);
    return { transcription, withWords, savedSegments: isShown ? countSegments(this.#deps.db, id) : 0 };
  }

  /** Makes an edit, and says what it changed; undefined if something else was changed beside it. */
  async edited(
    userId: string,
    id: string,
    edit: () => Promise<EditOutcome>,
  ): Promise<TranscriptEdit | undefined> {
    const before = this.outline(userId, id, 'asked').transcription;
    const { updates, spans } = await edit();
    const after = this.outline(userId, id, 'asked').transcription;
    if (after.revision !== before.revision + updates) return undefined;
    return presentChange(before, after, spans);
  }

  /** The transcription with its segments. `finished` throws `transcript_not_ready` while its job waits or runs. */
  whole(userId: string, id: string, form: TranscriptForm): WholeTranscript {
    const { transcript } = this.#inForm(userId, id, form);
    const segments = this.#isHidden(transcript) ? [] : readSegments(this.#deps.db, transcript.id);
    const transcription = this.#present(transcript, segments);
    return { transcription: this.#suggest(transcript, transcription, form), segments };
  }

  #inForm(userId: string, id: string, form: TranscriptForm) {
    const stored = form === 'finished' ? this.#finished(userId, id) : this.stored(userId, id);
    const isAsAsked = form === 'asked' || form === 'delivered';
    const transcript: Transcript = isAsAsked ? stored : { ...stored, timestampStyle: 'word' };
    return { transcript, withWords: transcript.timestampStyle === 'word' };
  }

  #suggest({ userId }: Transcript, transcription: Transcription, form: TranscriptForm): Transcription {
    return form === 'asked' ? this.#deps.speakers.withSuggestions(userId, transcription) : transcription;
  }

  /** Queues a completed transcript for further analyses of its stored text. */
  analyze(userId: string, id: string, asked: AnalyzeTranscript): void {
    checkSamples(this.#deps.files, userId, asked);
    const transcript = this.#finished(userId, id);
    this.#queueAgain(transcript, optionsAgain(transcript.options, asked), asked);
  }

  /** Queues a completed transcript to hide words that a person chose, or to show them again. */
  redact(userId: string, id: string, asked: RedactWords): void {
    const transcript = this.#finished(userId, id);
    const chosen = checkChosen(this.#deps.db, transcript, asked);
    this.#queueAgain(transcript, optionsToRedact(transcript.options), { diarize: false, chosen });
  }

  #queueAgain(
    transcript: Transcript,
    options: AnalysisOptions,
    asked: Parameters<typeof queuedForReanalysis>[2],
  ): void {
    const { db, jobs } = this.#deps;
    if (transcript.status !== 'completed') {
      throw new AppError('transcript_not_ready', 'This transcription failed: try it again first.');
    }
    store.updateTranscript(db, transcript.id, {
      ...queuedForReanalysis(transcript, options, asked),
      queueOrder: lastQueueOrder(db) + 1,
    });
    this.publish('transcript.changed', transcript.id);
    jobs.wake();
  }

  /** Ends a waiting or running job: a transcription fails with `cancelled`, a reanalysis changes nothing. */
  async cancel(userId: string, id: string): Promise<void> {
    const { jobs } = this.#deps;
    const asked = this.#inProgress(userId, id);
    const names = isReanalysis(asked) ? {} : await redactNamesOfFailed(this.#deps, asked);
    await this.#deps.liveSessions.get(id)?.();
    // Look again without a pause: meanwhile the queue may have claimed the job.
    const transcript = this.#inProgress(userId, id);
    if (jobs.isRunning(id)) await jobs.stop(id, 'cancelled');
    else if (isReanalysis(transcript)) this.#cancelWaitingReanalysis(transcript);
    else this.#cancelWaiting(transcript, names);
  }

  /** Replaces the marked moments, also while it is processed. Returns them in order of time. */
  mark(userId: string, id: string, marks: readonly Mark[]): Mark[] {
    const { db } = this.#deps;
    const { marks: before } = this.stored(userId, id);
    const sorted = marks.toSorted((a, b) => a.at - b.at);
    if (isDeepStrictEqual(sorted, before)) return sorted;
    store.updateTranscript(db, id, { marks: sorted });
    if (before.length > 0) markForScrub(db, 'log');
    this.publish('transcript.changed', id);
    return sorted;
  }

  /** Queues a failed transcript again; recognition continues from its checkpoint. */
  retry(userId: string, id: string): void {
    const { db, jobs, creditRate } = this.#deps;
    const transcript = this.stored(userId, id);
    if (transcript.status !== 'failed') {
      throw new AppError(
        'not_retryable',
        `This transcription is ${transcript.status}: only a failed one can be tried again.`,
      );
    }
    if (transcript.audioLogin !== null) {
      throw new AppError(
        'not_retryable',
        'The login in audio_url was forgotten when the job ended. Create the transcription again, with its login.',
      );
    }
    db.transaction(() => {
      reserveCredits(db, transcript, creditsAtCreation(transcript, creditRateOf(transcript, creditRate)));
      store.updateTranscript(db, id, {
        status: 'processing',
        stage: 'queued',
        lease: null,
        error: null,
        completedAt: null,
        queueOrder: lastQueueOrder(db) + 1,
      });
    });
    jobs.wake();
    this.publish('transcript.changed', id);
  }

  /** Deletes a transcript with its segments and files, after stopping its job. */
  async remove(userId: string, id: string): Promise<void> {
    const { db, jobs, jobEvents, paths, events } = this.#deps;
    this.stored(userId, id);
    await this.#deps.liveSessions.get(id)?.();
    // Re-check synchronously right before deleting, so the queue cannot claim the job in between.
    while (jobs.isRunning(id)) await jobs.stop(id, 'deleted');
    const hasEmbeddings = readSpeakerEmbeddings(db, id).length > 0;
    db.transaction(() => {
      if (!store.deleteTranscript(db, userId, id)) throw notFound();
      markForScrub(db, 'index');
    }, 'deletion');
    // The log alone: the index is compacted in the background, once for many deletions.
    if (hasEmbeddings) runPendingScrub(db, 0);
    jobEvents.emit('settled', { id });
    for (const folder of [join(paths.transcripts, id), join(paths.temporary, id)]) {
      await rm(folder, { recursive: true, force: true });
    }
    events.publish(userId, { type: 'transcript.deleted', id });
    jobs.wake();
  }

  async removeAllOf(userId: string): Promise<void> {
    for (const id of store.transcriptIdsOf(this.#deps.db, userId)) await this.remove(userId, id);
  }

  /** Throws `transcript_not_found`. */
  stored(userId: string, id: string): Transcript {
    const transcript = store.findOwnTranscript(this.#deps.db, userId, id);
    if (transcript === undefined) throw notFound();
    return transcript;
  }

  exists(id: string): boolean {
    return store.findTranscript(this.#deps.db, id) !== undefined;
  }

  present(transcript: Transcript): Transcription {
    const segments = this.#isHidden(transcript) ? [] : readSegments(this.#deps.db, transcript.id);
    return this.#present(transcript, segments);
  }

  /** Text that is still to be redacted is never shown. */
  #isHidden({ status, options }: Transcript): boolean {
    return status === 'processing' && options.redact_pii;
  }

  #present(transcript: Transcript, segments: readonly StoredSegment[]): Transcription {
    const { jobs, baseUrl } = this.#deps;
    const live = jobs.live(transcript.id);
    if (this.#isHidden(transcript)) {
      return presentTranscript({ ...transcript, text: '', analysis: {} }, [], live);
    }
    const audioUrl = `${baseUrl()}/v1/transcript/id/${transcript.id}/audio`;
    return {
      ...presentTranscript(transcript, segments, live, audioUrl),
      ...editsOf(this.#deps.db, transcript),
    };
  }

  /** What events say of a transcript. */
  summary(stored: store.StoredSummary): TranscriptSummary {
    const { id, name, status, revision } = stored;
    const live = this.#deps.jobs.live(id);
    return { id, name, status, revision, ...progressOf(stored, live), ...errorOf(stored) };
  }

  /** Tells its user's clients what happened to a transcript, unless it was deleted meanwhile. */
  publish(type: TranscriptEventType, id: string): void {
    const { db, events } = this.#deps;
    const stored = store.findSummary(db, id);
    if (stored !== undefined) events.publish(stored.userId, { type, transcript: this.summary(stored) });
  }

  #publishProgress({ transcript, segments, from }: JobProgress): void {
    const { id, userId, options } = transcript;
    const { progress } = this.summary(transcript);
    if (progress === undefined) return;
    this.#deps.events.publish(userId, {
      type: 'transcript.progress',
      id,
      progress,
      segments_from: from,
      segments: options.redact_pii ? [] : presentSegments(segments, true, from),
    });
  }

  /** Throws `not_cancellable` once its job has ended. */
  #inProgress(userId: string, id: string): Transcript {
    const transcript = this.stored(userId, id);
    if (transcript.status === 'processing') return transcript;
    throw new AppError('not_cancellable', `This transcription is ${transcript.status} already.`);
  }

  /** Throws `transcript_not_ready` while its job waits or runs. */
  #finished(userId: string, id: string): Transcript {
    const transcript = this.stored(userId, id);
    if (transcript.status === 'processing') {
      throw new AppError('transcript_not_ready', 'This transcription is still being worked on.');
    }
    return transcript;
  }

  /** The request's own terms, else the user's; undefined for none. */
  vocabularyOf(
    userId: string,
    { vocabulary }: Pick<CreateTranscript, 'vocabulary'>,
  ): CreateTranscript['vocabulary'] {
    const entries = vocabulary ?? readUserVocabulary(this.#deps.db, userId)?.entries ?? [];
    return entries.length === 0 ? undefined : [...entries];
  }

  #createdBefore(userId: string, key: string | undefined, bodyHash: string): Transcript | undefined {
    const { db, clock } = this.#deps;
    if (key === undefined) return undefined;
    const known = findIdempotent(db, userId, key, clock.now());
    if (known === undefined) return undefined;
    if (known.bodyHash !== bodyHash) {
      throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
    }
    return store.findOwnTranscript(db, userId, known.transcriptId);
  }

  #cancelWaitingReanalysis(transcript: Transcript): void {
    const { db, jobEvents } = this.#deps;
    const { id } = transcript;
    const warning = warningOf('analysis_cancelled');
    store.updateTranscript(db, id, abandonedReanalysis(transcript, warning));
    jobEvents.emit('settled', { id });
    this.publish('transcript.changed', id);
  }

  #cancelWaiting({ id, userId, options }: Transcript, names: TranscriptChange): void {
    const { db, clock, jobEvents, events } = this.#deps;
    db.transaction(() => {
      if (options.redact_pii) dropUnredacted(db, id);
      store.updateTranscript(db, id, {
        ...names,
        status: 'failed',
        lease: null,
        error: { code: 'cancelled', message: 'Cancelled before it began.', stage: 'queued' },
        completedAt: clock.now(),
      });
    });
    runPendingScrub(db);
    jobEvents.emit('settled', { id });
    // Earlier events may carry the name from before its redaction.
    if (options.redact_pii) events.forget(userId);
    this.publish('transcript.failed', id);
  }
}
