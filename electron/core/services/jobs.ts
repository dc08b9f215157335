import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, isAppError, isDiskFull } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { JobReport, JobWork, StopReason } from '../pipeline/types.ts';
import type { WritableDb } from '../stores/database.ts';
import * as queue from '../stores/queue.ts';
import type { TranscriptRow } from '../stores/schema.ts';
import type { StoredSegment } from '../stores/segments.ts';
import { findTranscript } from '../stores/transcripts.ts';
import type { LiveProgress } from './transcripts/present.ts';

/** What a job tells those who watch. */
export type JobWatcher = {
  progress(row: TranscriptRow, segments: readonly StoredSegment[], from: number): void;
  ended(row: TranscriptRow): void;
};

type Options = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names this run of the program: what another run had claimed is taken back at the start. */
  readonly boot: string;
  readonly concurrency: () => number;
  readonly work: JobWork;
  readonly watcher: JobWatcher;
};

type Running = {
  readonly row: TranscriptRow;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  latest: JobReport;
  saidAt: number;
  segments: number;
};

const SAY_EVERY_MS = 250;

const isJobCode = (code: string): code is JobErrorCode => JOB_ERROR_CODES.some((known) => known === code);

/** Anything thrown by a job, as the reason that its record keeps. */
const failureOf = (error: unknown): { code: JobErrorCode; message: string } => {
  if (isAppError(error) && isJobCode(error.code)) return { code: error.code, message: error.message };
  if (isDiskFull(error) || (isAppError(error) && error.code === 'storage_limit_exceeded')) {
    return {
      code: 'disk_full',
      message: 'The disk is full. Free some space, then try again: the work so far is kept.',
    };
  }
  return { code: 'internal_error', message: 'Something went wrong inside Earshot. The log has the details.' };
};

/** Takes jobs from the queue, a settable number side by side, and keeps their records true. */
export class JobRunner {
  readonly #options: Options;
  readonly #running = new Map<string, Running>();
  readonly #waiters = new Map<string, Set<() => void>>();
  #stopping = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Takes back what a process that is gone had claimed, and begins. */
  start(): void {
    const released = queue.releaseLeases(this.#options.db, this.#options.boot);
    if (released > 0) this.#options.logger.info({ jobs: released }, 'Going on with interrupted jobs');
    this.wake();
  }

  /** Looks for work: to be called when a job was added, or something stopped holding the queue. */
  wake(): void {
    const { db, boot, clock, concurrency } = this.#options;
    while (!this.#stopping && !queue.isQueuePaused(db) && this.#running.size < concurrency()) {
      const row = queue.claimNext(db, boot, clock.now());
      if (row === undefined) return;
      this.#begin(row);
    }
  }

  live(id: string): LiveProgress {
    const running = this.#running.get(id);
    if (running !== undefined) {
      return { queuePosition: null, etaSeconds: running.latest.etaSeconds, speed: running.latest.speed };
    }
    return { queuePosition: queue.queuePosition(this.#options.db, id), etaSeconds: null, speed: null };
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Stops a running job and waits until nothing of it is left running. */
  async stop(id: string, reason: StopReason): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.controller.abort(reason);
    await running.done;
  }

  /** Resolves when the job has ended, or the signal fires. */
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
      const row = findTranscript(this.#options.db, id);
      if (signal.aborted || row === undefined || row.status !== 'processing') end();
    });
  }

  /** Tells those who wait for a job that it has ended by other means than running. */
  announceEnd(id: string): void {
    for (const end of [...(this.#waiters.get(id) ?? [])]) end();
    this.#waiters.delete(id);
  }

  /** Takes no more work, puts running jobs back at their checkpoint, and waits for them. */
  async close(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id, 'shutdown')));
    for (const id of [...this.#waiters.keys()]) this.announceEnd(id);
  }

  #begin(row: TranscriptRow): void {
    const controller = new AbortController();
    const stage = row.stage === 'queued' ? 'downloading' : row.stage;
    const latest: JobReport = {
      stage: stage as JobReport['stage'],
      percent: row.percent,
      etaSeconds: null,
      speed: null,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    const running: Running = { row, controller, done: promise, latest, saidAt: 0, segments: 0 };
    this.#running.set(row.id, running);
    void this.#run(running).finally(() => {
      this.#running.delete(row.id);
      resolve();
      this.announceEnd(row.id);
      this.wake();
    });
  }

  async #run(running: Running): Promise<void> {
    const { row, controller } = running;
    try {
      await this.#options.work({
        row,
        signal: controller.signal,
        report: (report) => this.#report(running, report),
        recognised: (segments) => this.#recognised(running, segments),
      });
    } catch (error) {
      this.#settle(running, error);
    }
    const ended = findTranscript(this.#options.db, row.id);
    if (ended !== undefined && ended.status !== 'processing' && ended.attempt === row.attempt) {
      this.#options.watcher.ended(ended);
    }
  }

  #settle(running: Running, error: unknown): void {
    const { row, controller, latest } = running;
    const { db, logger, clock } = this.#options;
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : undefined;
    if (reason === 'deleted') return;
    if (reason === 'shutdown') {
      queue.releaseJob(db, row.id, row.attempt);
      return;
    }
    const failure =
      reason === 'cancelled'
        ? failureOf(new AppError('cancelled', 'Cancelled. What was recognised up to then is kept.'))
        : failureOf(error);
    if (failure.code === 'internal_error') {
      const stack = error instanceof Error ? error.stack : undefined;
      logger.error({ transcript: row.id, stack }, 'A job failed for a reason that nobody foresaw');
    } else {
      logger.info({ transcript: row.id, code: failure.code, stage: latest.stage }, 'A job ended as failed');
    }
    queue.updateClaimed(db, row.id, row.attempt, {
      status: 'failed',
      lease: null,
      error_code: failure.code,
      error_message: failure.message,
      error_stage: latest.stage,
      completed_at: clock.now(),
    });
  }

  #report(running: Running, report: JobReport): void {
    const before = running.latest;
    const percent = Math.max(before.percent, report.percent);
    running.latest = { ...report, percent };
    const now = this.#options.clock.monotonic();
    if (before.stage === report.stage && now - running.saidAt < SAY_EVERY_MS) return;
    running.saidAt = now;
    queue.updateClaimed(this.#options.db, running.row.id, running.row.attempt, {
      stage: report.stage,
      percent,
    });
    this.#say(running, []);
  }

  #recognised(running: Running, segments: readonly StoredSegment[]): void {
    this.#say(running, segments);
  }

  #say(running: Running, segments: readonly StoredSegment[]): void {
    const row = findTranscript(this.#options.db, running.row.id);
    if (row !== undefined) this.#options.watcher.progress(row, segments, segments[0]?.id ?? running.segments);
    running.segments += segments.length;
  }
}
