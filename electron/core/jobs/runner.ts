import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import { STAGES, type Stage } from '../../contract/job.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, isAppError, isCausedByFullDisk, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { JobProgress, JobWork, StopReason } from '../pipeline/deps.ts';
import { abandonedReanalysis, isReanalysis } from '../pipeline/findings/reanalyze.ts';
import { dropUnredacted } from '../pipeline/redaction/erase.ts';
import { neutralNames, redactsNames } from '../pipeline/redaction/names.ts';
import type { Transcript, TranscriptChange } from '../stores/codecs.ts';
import type { WritableDb } from '../stores/database.ts';
import * as queue from '../stores/jobs.ts';
import { runPendingScrub } from '../stores/scrub.ts';
import { countSegments, type StoredSegment } from '../stores/segments.ts';
import { findSummary, findTranscript, updateTranscript } from '../stores/transcripts.ts';
import type { JobEvents } from './events.ts';

type JobFailure = { readonly code: JobErrorCode; readonly message: string };

const isJobCode = (code: string): code is JobErrorCode => JOB_ERROR_CODES.some((known) => known === code);

/** The failure to store for what a job threw. `reason` is that of its aborted signal, if it was aborted. */
const failureOf = (error: unknown, reason: unknown): JobFailure => {
  if (reason === ('cancelled' satisfies StopReason)) {
    return { code: 'cancelled', message: 'Cancelled. What was recognized up to then is kept.' };
  }
  if (isCausedByFullDisk(error)) {
    return {
      code: 'disk_full',
      message: 'The disk is full. Free some space, then try again: what was recognized so far is kept.',
    };
  }
  // No copy of the stored file is intact, or its disk is away.
  if (isAppError(error) && error.code === 'storage_unavailable') {
    return { code: 'file_not_found', message: error.message };
  }
  if (isAppError(error) && isJobCode(error.code)) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'Something went wrong inside Earshot. The log has the details.' };
};

/**
 * Consecutive crashes of the program during a job, without progress in between, after which the job fails. For crashes
 * of the engine alone see `MAX_ENGINE_CRASHES_PER_CHUNK` in pipeline/recognition/chunk-scheduler.ts.
 */
export const MAX_APP_CRASHES_PER_JOB = 10;
/** From this many consecutive crashes on, a job is deferred, so that it cannot keep the program from running. */
export const MIN_APP_CRASHES_TO_DEFER = 3;

/** Cooldown in ms before a job restarts after `crashes` consecutive app crashes: 1 s at the third, then doubling. */
const cooldownAfterCrashes = (crashes: number): number => 1000 * 2 ** (crashes - MIN_APP_CRASHES_TO_DEFER);

const tooManyAppCrashes = (crashes: number): AppError =>
  new AppError(
    'interrupted',
    `Earshot itself ended ${crashes} times in a row while it worked on this recording. The text up to there is kept.`,
  );

/** What is known of a job only while it waits or runs. */
export type LiveProgress = {
  /** 1 is next; null once it runs. */
  readonly queuePosition: number | null;
  readonly etaSeconds: number | null;
  /** Times real time. */
  readonly speed: number | null;
};

type Options = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: JobEvents;
  /** Identifies this run of the program; at the start, the leases of other runs are released. */
  readonly lease: string;
  readonly concurrency: () => number;
  /** Draining jobs that do not count against `concurrency`. */
  readonly maxDraining: number;
  readonly work: JobWork;
  /** The names of a job that ended before its text was redacted. Never rejects. */
  readonly redactNames: (transcript: Transcript) => Promise<TranscriptChange>;
};

type Running = {
  readonly transcript: Transcript;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  progress: JobProgress;
  /** All chunks are submitted; only their results and the analyses are outstanding. */
  isDraining: boolean;
  /** Monotonic time of the last published progress. */
  publishedAt: number;
  /** Cancels the timer that publishes progress which came too soon after the last. */
  cancelTimer: (() => void) | undefined;
  /** Number of saved segments. */
  segments: number;
};

const MIN_PROGRESS_INTERVAL_MS = 250;
const DISK_FULL_RETRY_MS = 2000;

const failedFields = (failure: JobFailure, stage: Stage, now: number): TranscriptChange => ({
  status: 'failed',
  lease: null,
  error: { ...failure, stage },
  completedAt: now,
});

/** Claims jobs from the queue, runs them side by side, and writes how they end. */
export class JobRunner {
  readonly #options: Options;
  readonly #running = new Map<string, Running>();
  readonly #waiters = new Map<string, Set<() => void>>();
  /** Jobs in their cooldown after app crashes. */
  readonly #deferred = new Set<string>();
  readonly #closing = new AbortController();
  /** Queue positions by job, cached within one turn of the event loop. */
  #positions: ReadonlyMap<string, number> | undefined;

  constructor(options: Options) {
    this.#options = options;
    options.events.on('settled', ({ id }) => this.#resolveWaiters(id));
  }

  /** Releases the leases of earlier runs of the program and begins to claim jobs. */
  start(): void {
    const { db, lease, logger } = this.#options;
    const released = queue.releaseLeases(db, lease);
    if (released > 0) logger.info({ jobs: released }, 'Resuming interrupted jobs');
    for (const transcript of queue.listCrashed(db, MIN_APP_CRASHES_TO_DEFER)) this.#deferOrFail(transcript);
    this.wake();
  }

  /** Claims waiting jobs while there is room. Call it when a job was queued or the queue was resumed. */
  wake(): void {
    const { db, lease, clock, logger } = this.#options;
    this.#positions = undefined;
    try {
      while (!this.#isClosing && !queue.isQueuePaused(db) && this.#hasRoom()) {
        const transcript = queue.claimNext(db, lease, clock.now(), this.#deferred);
        if (transcript === undefined) return;
        this.#begin(transcript);
      }
    } catch (error) {
      if (!isCausedByFullDisk(error)) throw error;
      logger.warn({ reason: messageOf(error) }, 'The queue waits for room on the disk');
      this.#after(DISK_FULL_RETRY_MS, () => this.wake());
    }
  }

  live(id: string): LiveProgress {
    const running = this.#running.get(id);
    if (running === undefined) return { queuePosition: this.#positionOf(id), etaSeconds: null, speed: null };
    const { etaSeconds, speed } = running.progress;
    return { queuePosition: null, etaSeconds, speed };
  }

  /** Whether no job is running. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Aborts a running job and waits for its end. */
  async stop(id: string, reason: StopReason): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.controller.abort(reason);
    await running.done;
  }

  /** Resolves when the job is settled, the signal fires, or the runner closes. */
  waitFor(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      const end = () => {
        waiters.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      waiters.add(end);
      this.#waiters.set(id, waiters);
      signal.addEventListener('abort', end);
      const isPending = findTranscript(this.#options.db, id)?.status === 'processing';
      if (signal.aborted || this.#isClosing || !isPending) end();
    });
  }

  /** Claims no more jobs, returns the running ones to the queue at their checkpoints, and waits for them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id, 'shutdown')));
    for (const id of [...this.#waiters.keys()]) this.#resolveWaiters(id);
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #hasRoom(): boolean {
    const { concurrency, maxDraining } = this.#options;
    const draining = [...this.#running.values()].filter(({ isDraining }) => isDraining).length;
    // A draining job leaves cores idle, so another one may begin beside it.
    return this.#running.size - Math.min(draining, maxDraining) < concurrency();
  }

  #positionOf(id: string): number | null {
    // A list asks for the position of each of its items, and counting the queue once serves them all.
    if (this.#positions === undefined) {
      this.#positions = new Map(queue.listWaiting(this.#options.db).map((job, index) => [job.id, index + 1]));
      setImmediate(() => {
        this.#positions = undefined;
      });
    }
    return this.#positions.get(id) ?? null;
  }

  #resolveWaiters(id: string): void {
    for (const end of [...(this.#waiters.get(id) ?? [])]) end();
    this.#waiters.delete(id);
  }

  #after(milliseconds: number, action: () => void): void {
    this.#options.clock.schedule(milliseconds, () => {
      if (!this.#isClosing) action();
    });
  }

  /** Defers a job during which the program crashed several times in a row, or fails it after too many crashes. */
  #deferOrFail(transcript: Transcript): void {
    const { logger } = this.#options;
    const { id, appCrashes } = transcript;
    logger.warn({ transcript: id, crashes: appCrashes }, 'The program crashed during this job before');
    if (appCrashes >= MAX_APP_CRASHES_PER_JOB) {
      this.#failAfterCrashes(transcript);
      return;
    }
    this.#deferred.add(id);
    this.#after(cooldownAfterCrashes(appCrashes), () => {
      this.#deferred.delete(id);
      this.wake();
    });
  }

  #failAfterCrashes(transcript: Transcript): void {
    const { db, clock, events } = this.#options;
    const { id, appCrashes, stage } = transcript;
    const failure = failureOf(tooManyAppCrashes(appCrashes), undefined);
    db.transaction(() => {
      if (isReanalysis(transcript)) {
        updateTranscript(db, id, { ...abandonedReanalysis(transcript, failure.message), appCrashes: 0 });
      } else {
        // The names are not analyzed: that may have been what crashed.
        const change = { ...failedFields(failure, stage, clock.now()), ...neutralNames(transcript) };
        updateTranscript(db, id, { ...change, appCrashes: 0 });
        if (transcript.options.redact_pii) dropUnredacted(db, id);
      }
    });
    runPendingScrub(db);
    const finished = findTranscript(db, id);
    if (finished !== undefined) events.emit('finished', finished);
    events.emit('settled', { id });
  }

  #begin(transcript: Transcript): void {
    const { db, logger, events } = this.#options;
    const { id } = transcript;
    const stage = STAGES.find((known) => known !== 'queued' && known === transcript.stage) ?? 'downloading';
    const { promise, resolve } = Promise.withResolvers<void>();
    const running: Running = {
      transcript,
      controller: new AbortController(),
      done: promise,
      progress: { stage, percent: transcript.percent, etaSeconds: null, speed: null },
      isDraining: false,
      publishedAt: 0,
      cancelTimer: undefined,
      segments: countSegments(db, id),
    };
    this.#running.set(id, running);
    const settle = () => {
      running.cancelTimer?.();
      this.#running.delete(id);
      resolve();
      events.emit('settled', { id });
      this.wake();
    };
    this.#run(running).then(settle, (error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      logger.error({ transcript: id, stack }, 'The end of a job could not be published');
      settle();
    });
  }

  async #run(running: Running): Promise<void> {
    const { db, events, work } = this.#options;
    const { transcript, controller } = running;
    try {
      await work({
        transcript,
        signal: controller.signal,
        onProgress: (progress) => this.#onProgress(running, progress),
        onSegmentsSaved: (segments) => this.#publishProgress(running, segments),
        onDraining: () => {
          running.isDraining = true;
          this.wake();
        },
      });
    } catch (error) {
      await this.#persistEnd(running, error);
    }
    const finished = findTranscript(db, transcript.id);
    if (finished?.attempt === transcript.attempt && finished.status !== 'processing') {
      events.emit('finished', finished);
    }
  }

  /** Writes how a job ended. While the disk is full even for that, it tries again until there is room. */
  async #persistEnd(running: Running, error: unknown): Promise<void> {
    const { transcript, controller, progress } = running;
    const { db, logger, clock } = this.#options;
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : undefined;
    if (reason === 'deleted') return;
    const failure = failureOf(error, reason);
    if (failure.code === 'internal_error' && reason !== 'shutdown') {
      const stack = error instanceof Error ? error.stack : undefined;
      logger.error({ transcript: transcript.id, stack }, 'A job failed for an unexpected reason');
    } else if (reason === 'shutdown') {
      logger.info({ transcript: transcript.id, stage: progress.stage }, 'A job goes on at the next start');
    } else {
      logger.info({ transcript: transcript.id, code: failure.code, stage: progress.stage }, 'A job ended');
    }
    const names =
      reason !== 'shutdown' && redactsNames(transcript.options)
        ? await this.#options.redactNames(transcript)
        : {};
    for (;;) {
      try {
        if (reason === 'shutdown') queue.releaseJob(db, transcript.id, transcript.attempt);
        else
          this.#persistFailure(transcript, {
            ...failedFields(failure, progress.stage, clock.now()),
            ...names,
          });
        return;
      } catch (problem) {
        // After a shutdown the next start releases the lease anyway.
        if (!isCausedByFullDisk(problem) || this.#isClosing) {
          const fields = { transcript: transcript.id, reason: messageOf(problem) };
          logger.error(fields, 'The end of a job was not written');
          return;
        }
      }
      // When the runner closes meanwhile, the loop makes one last attempt.
      await new Promise<void>((resolve) => {
        const cancel = clock.schedule(DISK_FULL_RETRY_MS, resolve);
        this.#closing.signal.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      });
    }
  }

  /** Drops unredacted text in the transaction that makes the failed transcript visible. */
  #persistFailure({ id, attempt, options }: Transcript, change: TranscriptChange): void {
    const { db } = this.#options;
    db.transaction(() => {
      const isMine = queue.updateClaimed(db, id, attempt, change);
      if (isMine && options.redact_pii) dropUnredacted(db, id);
    });
    runPendingScrub(db);
  }

  #onProgress(running: Running, next: JobProgress): void {
    const { clock } = this.#options;
    const last = running.progress;
    running.progress = { ...next, percent: Math.max(last.percent, next.percent) };
    const wait = running.publishedAt + MIN_PROGRESS_INTERVAL_MS - clock.monotonic();
    const persistAndPublish = () => {
      running.cancelTimer?.();
      running.cancelTimer = undefined;
      running.publishedAt = clock.monotonic();
      this.#persistProgress(running);
      this.#publishProgress(running, []);
    };
    if (last.stage !== next.stage || wait <= 0) persistAndPublish();
    else running.cancelTimer ??= clock.schedule(wait, persistAndPublish);
  }

  #persistProgress({ transcript: { id, attempt }, progress: { stage, percent } }: Running): void {
    const { db } = this.#options;
    try {
      db.transaction(() => queue.updateClaimed(db, id, attempt, { stage, percent }), 'progress');
    } catch (error) {
      // Progress is no reason to fail: what must be kept is written elsewhere, and fails there.
      if (!isCausedByFullDisk(error)) throw error;
    }
  }

  #publishProgress(running: Running, segments: readonly StoredSegment[]): void {
    const { db, events } = this.#options;
    const transcript = findSummary(db, running.transcript.id);
    const from = segments[0]?.id ?? running.segments;
    // A job that finished since then has published its end already.
    if (transcript?.status === 'processing') events.emit('progress', { transcript, segments, from });
    running.segments = (segments.at(-1)?.id ?? running.segments - 1) + 1;
  }
}
