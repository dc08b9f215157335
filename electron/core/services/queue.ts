import type { z } from 'zod';
import type { Queue } from '../../contract/job.ts';
import { AppError } from '../base/errors.ts';
import type { JobRunner } from '../jobs/runner.ts';
import type { WritableDb } from '../stores/database.ts';
import * as store from '../stores/jobs.ts';
import { findOwnTranscript } from '../stores/transcripts.ts';
import type { EventHub } from './events.ts';

/** Shows and reorders the waiting jobs, and pauses the queue. */
export class QueueService {
  readonly #db: WritableDb;
  readonly #events: EventHub;
  readonly #jobs: JobRunner;

  constructor(db: WritableDb, events: EventHub, jobs: JobRunner) {
    this.#db = db;
    this.#events = events;
    this.#jobs = jobs;
  }

  isPaused(): boolean {
    return store.isQueuePaused(this.#db);
  }

  /** While paused, no waiting job is claimed; running jobs continue. */
  setPaused(paused: boolean): void {
    store.setQueuePaused(this.#db, paused);
    this.#events.publishToAll({ type: 'queue.changed', paused });
    this.#jobs.wake();
  }

  /** The user's running and waiting jobs. Positions count the jobs of all users. */
  list(userId: string): z.output<typeof Queue>['data'] {
    const waiting = store.listWaiting(this.#db);
    return {
      paused: this.isPaused(),
      running: store.listRunning(this.#db).flatMap((job) => (job.userId === userId ? [job.id] : [])),
      waiting: waiting.flatMap((job, index) =>
        job.userId === userId ? [{ id: job.id, name: job.name, queue_position: index + 1 }] : [],
      ),
    };
  }

  /** Moves a waiting job to a position among the user's own, 1 being the first. */
  move(userId: string, id: string, position: number): void {
    if (findOwnTranscript(this.#db, userId, id) === undefined) {
      throw new AppError('transcript_not_found', 'There is no such transcription.');
    }
    if (!store.moveInQueue(this.#db, userId, id, position)) {
      throw new AppError('not_queued', 'This transcription is not waiting in the queue.');
    }
    this.#events.publishToAll({ type: 'queue.changed', paused: this.isPaused() });
  }
}
