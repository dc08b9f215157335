import { setTimeout as delay } from 'node:timers/promises';
import { STAGES, type Stage } from '../../contract/transcript.ts';
import type { Clock } from '../base/clock.ts';
import { isFullDisk, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { isReanalysis } from '../pipeline/findings/reanalyze.ts';
import { dropUnredacted } from '../pipeline/redaction/partial.ts';
import type { JobProgress, JobWork, StopReason } from '../pipeline/types.ts';
import type { WritableDb } from '../stores/database.ts';
import * as queue from '../stores/jobs.ts';
import { runPendingScrub } from '../stores/scrub.ts';
import { countSegments, type StoredSegment } from '../stores/segments.ts';
import type { Transcript, TranscriptChange } from '../stores/transcript-record.ts';
import { findTranscript, updateTranscript } from '../stores/transcripts.ts';
import {
  failureOf,
  type JobFailure,
  MOST_UNCLEAN_ENDS,
  SUSPICIOUS_UNCLEAN_ENDS,
  tooManyUncleanEnds,
  waitAfterUncleanEnds,
} from './failure.ts';

/** What is known of a job only while it runs. */
export type LiveProgress = {
  readonly queuePosition: number | null;
  readonly etaSeconds: number | null;
  readonly speed: number | null;
};

/** What a job tells those who watch. */
export type JobWatcher = {
  progress(transcript: Transcript, segments: readonly StoredSegment[], from: number): void;
  ended(transcript: Transcript): void;
  /** Some job is over, however it ended: by running, by being cancelled while it waited, by deletion. */
  over(): void;
};

type Options = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names this run of the program: what another run had claimed is taken back at the start. */
  readonly boot: string;
  readonly concurrency: () => number;
  /** Jobs that may wind up beside those that are counted: as many as would leave a part of the engine idle. */
  readonly windingUp: number;
  readonly work: JobWork;
  readonly watcher: JobWatcher;
};

type Running = {
  readonly transcript: Transcript;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  latest: JobProgress;
  /** It will ask nothing more of the engine than it has: what follows are its last pieces, and analyses. */
  windsUp: boolean;
  saidAt: number;
  /** The next time that it says how far it is, where that was too soon. */
  later: NodeJS.Timeout | undefined;
  segments: number;
};

const SAY_EVERY_MS = 250;
/** How long to wait before a write that found the disk full is tried again. */
const DISK_FULL_WAIT_MS = 2000;

/** Takes jobs from the queue, a settable number side by side, and keeps their records true. */
export class JobRunner {
  readonly #options: Options;
  readonly #running = new Map<string, Running>();
  readonly #waiters = new Map<string, Set<() => void>>();
  /** Jobs under suspicion of ending the program, which are begun only after a while. */
  readonly #held = new Set<string>();
  readonly #closing = new AbortController();
  /** Places in the queue, for as long as nothing else can happen. */
  #positions: ReadonlyMap<string, number> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Takes back what a process that is gone had claimed, and begins. */
  start(): void {
    const { db, boot, logger } = this.#options;
    const released = queue.releaseLeases(db, boot);
    if (released > 0) logger.info({ jobs: released }, 'Going on with interrupted jobs');
    for (const transcript of queue.listCrashed(db, SUSPICIOUS_UNCLEAN_ENDS)) this.#suspect(transcript);
    this.wake();
  }

  /** Looks for work: to be called when a job was added, or something stopped holding the queue. */
  wake(): void {
    const { db, boot, clock, logger } = this.#options;
    this.#positions = undefined;
    try {
      while (!this.#stopping && !queue.isQueuePaused(db) && this.#hasRoom()) {
        const transcript = queue.claimNext(db, boot, clock.now(), this.#held);
        if (transcript === undefined) return;
        this.#begin(transcript);
      }
    } catch (error) {
      if (!isFullDisk(error)) throw error;
      logger.warn({ reason: messageOf(error) }, 'The queue waits for room on the disk');
      this.#later(DISK_FULL_WAIT_MS, () => this.wake());
    }
  }

  /** A job that winds up leaves cores idle: another begins beside it. */
  #hasRoom(): boolean {
    const { concurrency, windingUp } = this.#options;
    const ending = [...this.#running.values()].filter(({ windsUp }) => windsUp).length;
    return this.#running.size - Math.min(ending, windingUp) < concurrency();
  }

  live(id: string): LiveProgress {
    const running = this.#running.get(id);
    if (running !== undefined) {
      return { queuePosition: null, etaSeconds: running.latest.etaSeconds, speed: running.latest.speed };
    }
    return { queuePosition: this.#position(id), etaSeconds: null, speed: null };
  }

  /** A job's place among those that wait. A list of many asks for many places in one go: they are counted once. */
  #position(id: string): number | null {
    if (this.#positions === undefined) {
      this.#positions = new Map(queue.listWaiting(this.#options.db).map((job, index) => [job.id, index + 1]));
      setImmediate(() => {
        this.#positions = undefined;
      });
    }
    return this.#positions.get(id) ?? null;
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
      const transcript = findTranscript(this.#options.db, id);
      if (signal.aborted || this.#stopping || transcript === undefined || transcript.status !== 'processing')
        end();
    });
  }

  /** Tells those who wait for a job that it is over, also by other means than running. */
  announceEnd(id: string): void {
    for (const end of [...(this.#waiters.get(id) ?? [])]) end();
    this.#waiters.delete(id);
    this.#options.watcher.over();
  }

  /** Takes no more work, puts running jobs back at their checkpoint, and waits for them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id, 'shutdown')));
    for (const id of [...this.#waiters.keys()]) this.announceEnd(id);
  }

  get #stopping(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Does something after a while, unless the program ends before. */
  #later(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      if (!this.#stopping) action();
    }, milliseconds);
    timer.unref();
  }

  /** Defers a job during which the program crashed several times in a row, or fails it after too many crashes. */
  #suspect(transcript: Transcript): void {
    const { db, clock, logger } = this.#options;
    logger.warn(
      { transcript: transcript.id, times: transcript.appCrashes },
      'The program ended over this job before',
    );
    if (transcript.appCrashes >= MOST_UNCLEAN_ENDS) {
      const failure = failureOf(tooManyUncleanEnds(transcript.appCrashes), undefined);
      db.transaction(() => {
        updateTranscript(db, transcript.id, {
          ...failedColumns(failure, transcript.stage, clock.now()),
          appCrashes: 0,
        });
        if (mustDropText(transcript)) dropUnredacted(db, transcript.id);
      });
      runPendingScrub(db);
      const ended = findTranscript(db, transcript.id);
      if (ended !== undefined) this.#options.watcher.ended(ended);
      this.announceEnd(transcript.id);
      return;
    }
    this.#held.add(transcript.id);
    this.#later(waitAfterUncleanEnds(transcript.appCrashes), () => {
      this.#held.delete(transcript.id);
      this.wake();
    });
  }

  #begin(transcript: Transcript): void {
    const controller = new AbortController();
    const stage = STAGES.find((known) => known !== 'queued' && known === transcript.stage) ?? 'downloading';
    const latest: JobProgress = {
      stage,
      percent: transcript.percent,
      etaSeconds: null,
      speed: null,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    const segments = countSegments(this.#options.db, transcript.id);
    const running: Running = {
      transcript,
      controller,
      done: promise,
      latest,
      windsUp: false,
      saidAt: 0,
      later: undefined,
      segments,
    };
    this.#running.set(transcript.id, running);
    const over = () => {
      clearTimeout(running.later);
      this.#running.delete(transcript.id);
      resolve();
      this.announceEnd(transcript.id);
      this.wake();
    };
    this.#run(running).then(over, (error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.#options.logger.error({ transcript: transcript.id, stack }, 'The end of a job could not be told');
      over();
    });
  }

  async #run(running: Running): Promise<void> {
    const { transcript, controller } = running;
    try {
      await this.#options.work({
        transcript,
        signal: controller.signal,
        onProgress: (report) => this.#report(running, report),
        onSegmentsSaved: (segments) => this.#recognised(running, segments),
        onDraining: () => {
          running.windsUp = true;
          this.wake();
        },
      });
    } catch (error) {
      await this.#settle(running, error);
    }
    const ended = findTranscript(this.#options.db, transcript.id);
    if (ended !== undefined && ended.status !== 'processing' && ended.attempt === transcript.attempt) {
      this.#options.watcher.ended(ended);
    }
  }

  /** Writes down how a job ended. Where the disk is full even for that, tries until there is room again. */
  async #settle(running: Running, error: unknown): Promise<void> {
    const { transcript, controller, latest } = running;
    const { db, logger, clock } = this.#options;
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : undefined;
    if (reason === 'deleted') return;
    const failure = failureOf(error, reason);
    if (failure.code === 'internal_error' && reason !== 'shutdown') {
      const stack = error instanceof Error ? error.stack : undefined;
      logger.error({ transcript: transcript.id, stack }, 'A job failed for a reason that nobody foresaw');
    } else {
      logger.info({ transcript: transcript.id, code: failure.code, stage: latest.stage }, 'A job ended');
    }
    for (;;) {
      try {
        if (reason === 'shutdown') queue.releaseJob(db, transcript.id, transcript.attempt);
        else this.#writeFailure(transcript, failedColumns(failure, latest.stage, clock.now()));
        return;
      } catch (problem) {
        // At a shutdown the next start takes the job back by itself.
        if (!isFullDisk(problem) || this.#stopping) {
          logger.error(
            { transcript: transcript.id, reason: messageOf(problem) },
            'The end of a job was not written',
          );
          return;
        }
      }
      await delay(DISK_FULL_WAIT_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {
        // The program ends: the loop tries once more, and leaves.
      });
    }
  }

  /** Unredacted text is dropped in the transaction that makes the failed transcript visible. */
  #writeFailure(transcript: Transcript, change: TranscriptChange): void {
    const { db } = this.#options;
    db.transaction(() => {
      const isMine = queue.updateClaimed(db, transcript.id, transcript.attempt, change);
      if (isMine && mustDropText(transcript)) dropUnredacted(db, transcript.id);
    });
    runPendingScrub(db);
  }

  #report(running: Running, report: JobProgress): void {
    const before = running.latest;
    const percent = Math.max(before.percent, report.percent);
    running.latest = { ...report, percent };
    const wait = running.saidAt + SAY_EVERY_MS - this.#options.clock.monotonic();
    if (before.stage === report.stage && wait > 0)
      running.later ??= setTimeout(() => this.#tell(running), wait);
    else this.#tell(running);
  }

  /** Writes down how far a job is, and says so. */
  #tell(running: Running): void {
    const { transcript, latest } = running;
    clearTimeout(running.later);
    running.later = undefined;
    running.saidAt = this.#options.clock.monotonic();
    try {
      queue.updateClaimed(this.#options.db, transcript.id, transcript.attempt, {
        stage: latest.stage,
        percent: latest.percent,
      });
    } catch (error) {
      // Progress is no reason to fail: what must be kept is written elsewhere, and fails there.
      if (!isFullDisk(error)) throw error;
    }
    this.#say(running, []);
  }

  #recognised(running: Running, segments: readonly StoredSegment[]): void {
    this.#say(running, segments);
  }

  #say(running: Running, segments: readonly StoredSegment[]): void {
    const transcript = findTranscript(this.#options.db, running.transcript.id);
    // It may have ended since: that is told by itself.
    if (transcript?.status === 'processing') {
      this.#options.watcher.progress(transcript, segments, segments[0]?.id ?? running.segments);
    }
    running.segments = (segments.at(-1)?.id ?? running.segments - 1) + 1;
  }
}

/** Whether the text of a failed job must go: a new analysis of a finished transcript keeps what was there before. */
const mustDropText = (transcript: Transcript): boolean =>
  transcript.options.redact_pii && !isReanalysis(transcript);

const failedColumns = (failure: JobFailure, stage: Stage, now: number): TranscriptChange => ({
  status: 'failed',
  lease: null,
  error: { ...failure, stage },
  completedAt: now,
});
