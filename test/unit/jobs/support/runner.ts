import { type LogFields, type Logger, silentLogger } from '../../../../electron/core/base/logger.ts';
import { JobEvents } from '../../../../electron/core/jobs/events.ts';
import { JobRunner } from '../../../../electron/core/jobs/runner.ts';
import type { JobContext, JobProgress } from '../../../../electron/core/pipeline/deps.ts';
import type { Database } from '../../../../electron/core/stores/database.ts';
import { updateClaimed } from '../../../../electron/core/stores/jobs.ts';
import type { StoredSegment } from '../../../../electron/core/stores/segments.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { FakeClock, settled } from '../../../support/fake-clock.ts';

export const segment = (id: number): StoredSegment => ({
  id,
  text: `Sentence ${id}.`,
  start: id,
  end: id + 1,
  speaker_id: null,
  words: [],
});

/** The same database, whose writes fail like those on a full disk while `isFull`. */
const withDisk = (db: Database) => {
  const disk = { isFull: false };
  const guard = () => {
    if (disk.isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  const onDisk: Database = {
    ...db,
    all: (query) => db.all(query),
    get: (query) => db.get(query),
    run: (query) => {
      guard();
      return db.run(query);
    },
    transaction: (work, purpose) => {
      guard();
      return db.transaction(work, purpose);
    },
    checkpoint: () => db.checkpoint(),
    eraseGaps: (page, maxMs) => db.eraseGaps(page, maxMs),
  };
  return { disk, onDisk };
};

type RunnerOptions = {
  readonly db?: Database;
  readonly lease?: string;
  readonly concurrency?: number | (() => number);
  readonly maxDraining?: number;
};

/** A started runner on a real database, whose jobs do what the test tells them. */
export const startRunner = ({
  db = openTestDatabase(),
  lease = 'this-run',
  concurrency = 1,
  maxDraining = 0,
}: RunnerOptions = {}) => {
  const clock = new FakeClock();
  const events = new JobEvents();
  const contexts = new Map<string, { context: JobContext; end: PromiseWithResolvers<void> }>();
  const started: string[] = [];
  const published: string[] = [];
  const progress: { percent: number; stage: string }[] = [];
  const lines: { level: string; fields: LogFields }[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields) => lines.push({ level: 'warn', fields }),
    error: (fields) => lines.push({ level: 'error', fields }),
  };
  events.on('finished', ({ id }) => published.push(`finished ${id}`));
  events.on('settled', ({ id }) => published.push(`settled ${id}`));
  events.on('progress', ({ transcript: { percent, stage } }) => progress.push({ percent, stage }));
  const { disk, onDisk } = withDisk(db);
  const runner = new JobRunner({
    db: onDisk,
    clock,
    logger,
    events,
    lease,
    concurrency: typeof concurrency === 'number' ? () => concurrency : concurrency,
    maxDraining,
    redactNames: async () => ({ name: 'redacted' }),
    work: (context) => {
      const end = Promise.withResolvers<void>();
      started.push(context.transcript.id);
      contexts.set(context.transcript.id, { context, end });
      return end.promise;
    },
  });
  runner.start();

  /** What a running job does. */
  const job = (id = '') => {
    const running = contexts.get(id);
    if (running === undefined) throw new Error(`The job ${id} has not started.`);
    const { context, end } = running;
    const { attempt } = context.transcript;
    return {
      signal: context.signal,
      report: (next: JobProgress) => context.onProgress(next),
      save: (segments: readonly StoredSegment[]) => context.onSegmentsSaved(segments),
      drain: () => context.onDraining(),
      complete: (text = 'Text.') => {
        updateClaimed(db, id, attempt, { status: 'completed', lease: null, text });
        end.resolve();
        return settled();
      },
      fail: (error: unknown) => {
        end.reject(error);
        return settled();
      },
    };
  };
  return {
    db,
    runner,
    clock,
    events,
    disk,
    job,
    /** Ids of the jobs that were started, in order. */
    started: () => [...started],
    /** Ends that were published, in order. */
    published: () => [...published],
    progress: () => [...progress],
    logged: (level: 'warn' | 'error') => lines.filter((line) => line.level === level),
  };
};
