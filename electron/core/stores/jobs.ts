import { sql as raw } from 'kysely';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { TranscriptRow } from './schema.ts';
import { syncIndex, touchesIndex } from './search.ts';

const PAUSED = 'queue.paused';

/**
 * Everything that waits, in the order in which it will be taken. Fair between users: each user's
 * n-th waiting job comes before anybody's (n+1)-th, jobs already running count as turns taken, and
 * between equals the user who was served longest ago comes first.
 */
const waiting = sql
  .with('running', (query) =>
    query
      .selectFrom('transcripts')
      .where('status', '=', 'processing')
      .where('lease', 'is not', null)
      .select(['user_id', (eb) => eb.fn.countAll<number>().as('running')])
      .groupBy('user_id'),
  )
  .with('lined', (query) =>
    query
      .selectFrom('transcripts as t')
      .leftJoin('running as r', 'r.user_id', 't.user_id')
      .where('t.status', '=', 'processing')
      .where('t.lease', 'is', null)
      .select([
        't.id',
        't.name',
        't.user_id',
        't.queue_order',
        raw<number>`row_number() over (partition by t.user_id order by t.queue_order, t.id) + coalesce(r.running, 0)`.as(
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

export type WaitingJob = { id: string; name: string; user_id: string };

export const listWaiting = (db: ReadableDb): WaitingJob[] => db.all(waiting);

export const listRunning = (db: ReadableDb): { id: string; user_id: string }[] =>
  db.all(
    sql
      .selectFrom('transcripts')
      .select(['id', 'user_id'])
      .where('status', '=', 'processing')
      .where('lease', 'is not', null)
      .orderBy('started_at'),
  );

/**
 * Takes the next job for this boot, those in `held` left out; its `attempt` is the token that later writes
 * must carry.
 */
export const claimNext = (
  db: WritableDb,
  boot: string,
  now: number,
  held: ReadonlySet<string> = new Set(),
): TranscriptRow | undefined =>
  db.transaction(() => {
    const next =
      held.size === 0 ? db.get(waiting.limit(1)) : db.all(waiting).find((job) => !held.has(job.id));
    if (next === undefined) return undefined;
    return db.get(
      sql
        .updateTable('transcripts')
        .set((eb) => ({ lease: boot, attempt: eb('attempt', '+', 1), started_at: now }))
        .where('id', '=', next.id)
        .returningAll(),
    );
  });

/** Puts back what a process that is gone had claimed, and counts that with each. Returns how many. */
export const releaseLeases = (db: WritableDb, boot: string): number =>
  db.run(
    sql
      .updateTable('transcripts')
      .set((eb) => ({ lease: null, unclean_ends: eb('unclean_ends', '+', 1) }))
      .where('status', '=', 'processing')
      .where('lease', 'is not', null)
      .where('lease', '!=', boot),
  ).changes;

/** Waiting jobs over which the program has ended at least so often in a row. */
export const listUnclean = (db: ReadableDb, least: number): TranscriptRow[] =>
  db.all(
    sql
      .selectFrom('transcripts')
      .selectAll()
      .where('status', '=', 'processing')
      .where('lease', 'is', null)
      .where('unclean_ends', '>=', least),
  );

/** Gives a job back to the queue, e.g. at shutdown: it goes on from its checkpoint later. */
export const releaseJob = (db: WritableDb, id: string, attempt: number): void => {
  db.run(
    sql.updateTable('transcripts').set({ lease: null }).where('id', '=', id).where('attempt', '=', attempt),
  );
};

/** Updates a row, and its search entry, only while this attempt holds the job; false when it does not any more. */
export const updateClaimed = (
  db: WritableDb,
  id: string,
  attempt: number,
  change: Partial<TranscriptRow>,
): boolean =>
  db.transaction(() => {
    const update = sql
      .updateTable('transcripts')
      .set(change)
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .where('status', '=', 'processing');
    const isChanged = db.run(update).changes > 0;
    if (isChanged && touchesIndex(change)) syncIndex(db, id);
    return isChanged;
  });

export const lastQueueOrder = (db: ReadableDb): number =>
  db.get(sql.selectFrom('transcripts').select((eb) => eb.fn.max('queue_order').as('last')))?.last ?? 0;

/** Moves one of a user's waiting jobs to a place among that user's waiting jobs, 1 being the first. */
export const moveInQueue = (db: WritableDb, userId: string, id: string, position: number): boolean =>
  db.transaction(() => {
    const own = db.all(
      sql
        .selectFrom('transcripts')
        .select(['id', 'queue_order'])
        .where('status', '=', 'processing')
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
