import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { DeliveryRow } from './schema.ts';

export type StoredDelivery = DeliveryRow & { readonly number: number; readonly id: string };

const withId = (row: DeliveryRow & { number: number }): StoredDelivery[] =>
  row.id === null ? [] : [{ ...row, id: row.id }];

/** Gives their public ids to the deliveries that became due since the last call. */
export const adoptDeliveries = (db: WritableDb, makeId: () => string): number =>
  db.transaction(() => {
    const fresh = db.all(
      sql
        .selectFrom('webhook_deliveries')
        .select('number')
        .where('state', '=', 'pending')
        .where('id', 'is', null),
    );
    for (const { number } of fresh) {
      db.run(sql.updateTable('webhook_deliveries').set({ id: makeId() }).where('number', '=', number));
    }
    return fresh.length;
  });

export const insertDelivery = (db: WritableDb, row: DeliveryRow & { id: string }): StoredDelivery => {
  const made = db.get(sql.insertInto('webhook_deliveries').values(row).returning('number'));
  return { ...row, number: made?.number ?? 0 };
};

export const pendingDeliveries = (db: ReadableDb): StoredDelivery[] =>
  db
    .all(
      sql
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('state', '=', 'pending')
        .where('id', 'is not', null)
        .orderBy('number'),
    )
    .flatMap(withId);

export const findDelivery = (db: ReadableDb, number: number): StoredDelivery | undefined =>
  db.all(sql.selectFrom('webhook_deliveries').selectAll().where('number', '=', number)).flatMap(withId)[0];

/** A transcript's deliveries, the latest first. */
export const deliveriesOf = (db: ReadableDb, transcriptId: string): StoredDelivery[] =>
  db
    .all(
      sql
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('transcript_id', '=', transcriptId)
        .where('id', 'is not', null)
        .orderBy('number', 'desc'),
    )
    .flatMap(withId);

export type RecentDelivery = StoredDelivery & { readonly transcript_name: string };

/** The latest deliveries of a user's transcripts, the latest first. */
export const recentDeliveries = (db: ReadableDb, userId: string, limit: number): RecentDelivery[] =>
  db
    .all(
      sql
        .selectFrom('webhook_deliveries as d')
        .innerJoin('transcripts as t', 't.id', 'd.transcript_id')
        .selectAll('d')
        .select('t.name as transcript_name')
        .where('t.user_id', '=', userId)
        .where('d.id', 'is not', null)
        .orderBy('d.number', 'desc')
        .limit(limit),
    )
    .flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]));

export const updateDelivery = (
  db: WritableDb,
  number: number,
  change: Pick<DeliveryRow, 'state' | 'attempts' | 'next_attempt_at'>,
): void => {
  db.run(sql.updateTable('webhook_deliveries').set(change).where('number', '=', number));
};
