import type { WebhookDelivery } from '../../contract/webhooks.ts';
import { attemptsCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { DeliveryRow } from './schema.ts';

/** An attempt to deliver, in the form of the answer. */
export type DeliveryAttempt = WebhookDelivery['attempts'][number];

/** A delivery to a webhook, with its attempts so far. */
export type Delivery = {
  /** Orders deliveries by their creation. */
  readonly number: number;
  readonly id: string;
  readonly transcriptId: string;
  readonly type: WebhookDelivery['type'];
  readonly url: string;
  readonly state: WebhookDelivery['state'];
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
};

export type DeliveryWithName = Delivery & { readonly transcriptName: string };

/** Empty for a delivery that the service has not adopted yet. */
const decode = (row: DeliveryRow & { number: number }): Delivery[] =>
  row.id === null
    ? []
    : [
        {
          number: row.number,
          id: row.id,
          transcriptId: row.transcript_id,
          type: row.type,
          url: row.url,
          state: row.state,
          attempts: attemptsCodec.decode(row.attempts),
          nextAttemptAt: row.next_attempt_at,
          createdAt: row.created_at,
        },
      ];

/** Gives their public ids to the deliveries that triggers inserted since the last call. Returns how many. */
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

export const insertDelivery = (db: WritableDb, delivery: Omit<Delivery, 'number'>): Delivery => {
  const inserted = db.get(
    sql
      .insertInto('webhook_deliveries')
      .values({
        id: delivery.id,
        transcript_id: delivery.transcriptId,
        type: delivery.type,
        url: delivery.url,
        state: delivery.state,
        attempts: attemptsCodec.encode([...delivery.attempts]),
        next_attempt_at: delivery.nextAttemptAt,
        created_at: delivery.createdAt,
      })
      .returning('number'),
  );
  return { ...delivery, number: inserted?.number ?? 0 };
};

export const pendingDeliveries = (db: ReadableDb): Delivery[] =>
  db
    .all(
      sql
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('state', '=', 'pending')
        .where('id', 'is not', null)
        .orderBy('number'),
    )
    .flatMap(decode);

export const findDelivery = (db: ReadableDb, number: number): Delivery | undefined =>
  db.all(sql.selectFrom('webhook_deliveries').selectAll().where('number', '=', number)).flatMap(decode)[0];

/** A transcript's deliveries, the latest first. */
export const deliveriesOf = (db: ReadableDb, transcriptId: string): Delivery[] =>
  db
    .all(
      sql
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('transcript_id', '=', transcriptId)
        .where('id', 'is not', null)
        .orderBy('number', 'desc'),
    )
    .flatMap(decode);

/** The latest deliveries of all of a user's transcripts, the latest first. */
export const recentDeliveries = (db: ReadableDb, userId: string, limit: number): DeliveryWithName[] =>
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
    .flatMap(({ transcript_name: transcriptName, ...row }) =>
      decode(row).map((delivery) => ({ ...delivery, transcriptName })),
    );

export const updateDelivery = (
  db: WritableDb,
  {
    number,
    state,
    attempts,
    nextAttemptAt,
  }: Pick<Delivery, 'number' | 'state' | 'attempts' | 'nextAttemptAt'>,
): void => {
  const change = { state, attempts: attemptsCodec.encode([...attempts]), next_attempt_at: nextAttemptAt };
  db.run(sql.updateTable('webhook_deliveries').set(change).where('number', '=', number));
};
