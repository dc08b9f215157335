import { sql as raw } from 'kysely';
import { decodeTranscript, encodeUpdate, type Transcript, type TranscriptChange } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import { type IndexedText, syncIndex, touchesIndex } from './search.ts';

const PAUSED = 'queue.paused';

/** A literal, since SQLite uses the index of unfinished jobs only for a value that it knows when it plans the query. */
export const PROCESSING = raw.lit<'processing'>('processing');

/**
 * The waiting jobs in the order in which they are claimed. Fair between users: each user's n-th job comes before
 * anybody's (n+1)-th, running jobs count as turns taken, and between equals the user who was served longest ago
 * comes first. The pluses stop SQLite from reading all transcripts in the order of an index on user_id. Exported for the
 * test of its query plan.
 */
export const waitingJobs = sql
  .with('running', (query) =>
    query
      .selectFrom('transcripts')
      .where('status', '=', PROCESSING)
      .where('lease', 'is not', null)
      .select(['user_id', (eb) => eb.fn.countAll<number>().as('running')])
      .groupBy(raw`+user_id`),
  )
  .with('lined', (query) =>
    query
      .selectFrom('transcripts as t')
      .leftJoin('running as r', 'r.user_id', 't.user_id')
      .where('t.status', '=', PROCESSING)
      .where('t.lease', 'is', null)
      .select([
        't.id',
        't.name',
        't.user_id',
        't.queue_order',
        raw<number>`row_number() over (partition by +t.user_id order by t.queue_order, t.id) + coalesce(r.running, 0)`.as(
          'turn',
        ),
        raw<number>`coalesce((select max(s.started_at) from transcripts s where s.user_id = t.user_id), 0)`.as(
          'served',
        ),
      ]),
  )
  .selectFrom('lined')
  .select(['id', 'name', 'user_id'])
  .orderBy('turn')
  .orderBy('served')
  .orderBy('queue_order')
  .orderBy('id');

export type WaitingJob = { readonly id: string; readonly name: string; readonly userId: string };

export const listWaiting = (db: ReadableDb): WaitingJob[] =>
  db.all(waitingJobs).map(({ id, name, user_id }) => ({ id, name, userId: user_id }));

export const listRunning = (db: ReadableDb): Pick<WaitingJob, 'id' | 'userId'>[] =>
  db
    .all(
      sql
        .selectFrom('transcripts')
        .select(['id', 'user_id'])
        .where('status', '=', PROCESSING)
        .where('lease', 'is not', null)
        .orderBy('started_at'),
    )
    .map(({ id, user_id }) => ({ id, userId: user_id }));

/**
 * Leases the next waiting job that is not `deferred`. The `attempt` of the result is the fencing token of all
 * later writes.
 */
export const claimNext = (
  db: WritableDb,
  lease: string,
  now: number,
  deferred: ReadonlySet<string> = new Set(),
): Transcript | undefined =>
  db.transaction(() => {
    const next =
      deferred.size === 0
        ? db.get(waitingJobs.limit(1))
        : db.all(waitingJobs).find((job) => !deferred.has(job.id));
    if (next === undefined) return undefined;
    const row = db.get(
      sql
        .updateTable('transcripts')
        .set((eb) => ({ lease, attempt: eb('attempt', '+', 1), started_at: now }))
        .where('id', '=', next.id)
        .returningAll(),
    );
    return row && decodeTranscript(row);
  });

/** Returns the jobs of other runs of the program to the queue, counting a crash for each. Answers how many. */
export const releaseLeases = (db: WritableDb, lease: string): number =>
  db.run(
    sql
      .updateTable('transcripts')
      .set((eb) => ({ lease: null, app_crashes: eb('app_crashes', '+', 1) }))
      .where('status', '=', PROCESSING)
      .where('lease', 'is not', null)
      .where('lease', '!=', lease),
  ).changes;

/** Waiting jobs during which the program crashed at least `minCrashes` times in a row. */
export const listCrashed = (db: ReadableDb, minCrashes: number): Transcript[] =>
  db
    .all(
      sql
        .selectFrom('transcripts')
        .selectAll()
        .where('status', '=', PROCESSING)
        .where('lease', 'is', null)
        .where('app_crashes', '>=', minCrashes),
    )
    .map(decodeTranscript);

/** Returns a job to the queue, where it continues from its checkpoint later. */
export const releaseJob = (db: WritableDb, id: string, attempt: number): void => {
  db.run(
    sql.updateTable('transcripts').set({ lease: null }).where('id', '=', id).where('attempt', '=', attempt),
  );
};

/** Updates a transcript and its search entry only while `attempt` holds the job; false when it no longer does. */
export const updateClaimed = (
  db: WritableDb,
  id: string,
  attempt: number,
  change: TranscriptChange,
  indexed?: IndexedText,
): boolean =>
  db.transaction(() => {
    const update = sql
      .updateTable('transcripts')
      .set(encodeUpdate(change))
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .where('status', '=', PROCESSING);
    const isChanged = db.run(update).changes > 0;
    if (isChanged && touchesIndex(change)) syncIndex(db, id, change, indexed);
    return isChanged;
  });

/** Whether `attempt` still holds the job. */
export const isClaimed = (db: ReadableDb, id: string, attempt: number): boolean =>
  db.get(
    sql
      .selectFrom('transcripts')
      .select('id')
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .where('status', '=', PROCESSING),
  ) !== undefined;

export const lastQueueOrder = (db: ReadableDb): number =>
  db.get(sql.selectFrom('transcripts').select((eb) => eb.fn.max('queue_order').as('last')))?.last ?? 0;

/** Moves a waiting job to a position among the waiting jobs of the same user, 1 being the first. */
export const moveInQueue = (db: WritableDb, userId: string, id: string, position: number): boolean =>
  db.transaction(() => {
    const own = db.all(
      sql
        .selectFrom('transcripts')
        .select(['id', 'queue_order'])
        .where('status', '=', PROCESSING)
        .where('lease', 'is', null)
        .where('user_id', '=', userId)
        .orderBy('queue_order')
        .orderBy('id'),
    );
    const moved = own.find((job) => job.id === id);
    if (moved === undefined) return false;
    const orders = own.map((job) => job.queue_order);
    const rest = own.filter((job) => job.id !== id);
    rest.splice(position - 1, 0, moved);
    rest.forEach((job, index) => {
      const order = orders[index];
      if (order !== undefined && order !== job.queue_order) {
        db.run(sql.updateTable('transcripts').set({ queue_order: order }).where('id', '=', job.id));
      }
    });
    return true;
  });

export const isQueuePaused = (db: ReadableDb): boolean =>
  db.get(sql.selectFrom('meta').select('value').where('key', '=', PAUSED))?.value === '1';

export const setQueuePaused = (db: WritableDb, paused: boolean): void => {
  db.run(sql.replaceInto('meta').values({ key: PAUSED, value: paused ? '1' : '0' }));
};
