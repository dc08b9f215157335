import { type ReadableDb, sql, type WritableDb } from './database.ts';

/** What a person wrote in the place of what was recognized. */
export type Correction = {
  readonly id: string;
  /** The first channel if there is one. */
  readonly channel: number;
  /** Milliseconds. */
  readonly at: number;
  readonly heard: string;
  readonly written: string;
  /** Whether the user has answered its suggestion. */
  readonly settled: boolean;
};

/** A correction that a user made in several places. */
export type RepeatedCorrection = {
  /** Of its first place. */
  readonly id: string;
  readonly heard: string;
  readonly written: string;
  readonly count: number;
};

/** Ids that go, and corrections that come. */
export type CorrectionChange = {
  readonly removed: readonly string[];
  readonly added: readonly Correction[];
};

type Place = { readonly userId: string; readonly transcriptId: string };

/** Corrections that are kept of a user, the latest. */
const MAX_CORRECTIONS = 10_000;

export const suggestsTerms = (db: ReadableDb, userId: string): boolean =>
  db.get(sql.selectFrom('users').select('suggests_terms').where('id', '=', userId))?.suggests_terms === 1;

export const setSuggestsTerms = (db: WritableDb, userId: string, suggests: boolean): void => {
  const change = { suggests_terms: suggests ? 1 : 0 };
  db.run(sql.updateTable('users').set(change).where('id', '=', userId));
};

export const readCorrections = (db: ReadableDb, transcriptId: string): Correction[] =>
  db
    .all(sql.selectFrom('corrections').selectAll().where('transcript_id', '=', transcriptId).orderBy('id'))
    .map(({ id, channel, at, heard, written, settled }) => ({
      id,
      channel,
      at,
      heard,
      written,
      settled: settled === 1,
    }));

const deleteOldest = (db: WritableDb, userId: string): void => {
  const own = sql.selectFrom('corrections').select('id').where('user_id', '=', userId);
  const oldest = db.get(own.orderBy('id', 'desc').offset(MAX_CORRECTIONS).limit(1));
  if (oldest === undefined) return;
  db.run(sql.deleteFrom('corrections').where('user_id', '=', userId).where('id', '<=', oldest.id));
};

/** Writes what an edit makes of a transcript's corrections. */
export const updateCorrections = (
  db: WritableDb,
  { userId, transcriptId }: Place,
  { removed, added }: CorrectionChange,
): void => {
  for (const id of removed) db.run(sql.deleteFrom('corrections').where('id', '=', id));
  for (const { heard, settled, ...correction } of added) {
    const own = { user_id: userId, transcript_id: transcriptId, heard, folded: heard.toLowerCase() };
    db.run(sql.insertInto('corrections').values({ ...correction, ...own, settled: settled ? 1 : 0 }));
  }
  if (added.length > 0) deleteOldest(db, userId);
};

/** The corrections that a user made in at least `least` places and has not answered, those of most places first. */
export const listRepeatedCorrections = (
  db: ReadableDb,
  userId: string,
  least: number,
): RepeatedCorrection[] =>
  db.all(
    sql
      .selectFrom('corrections')
      .where('user_id', '=', userId)
      .select((eb) => [
        eb.fn.min('id').as('id'),
        eb.fn.min('heard').as('heard'),
        'written',
        eb.fn.countAll<number>().as('count'),
      ])
      .groupBy(['written', 'folded'])
      .having((eb) => eb.and([eb(eb.fn.countAll(), '>=', least), eb(eb.fn.max('settled'), '=', 0)]))
      .orderBy('count', 'desc')
      .orderBy('id', 'desc'),
  );

/** Notes that the user answered the suggestion of a correction, wherever it was made. */
export const settleCorrections = (db: WritableDb, userId: string, id: string): void => {
  const one = db.get(
    sql
      .selectFrom('corrections')
      .select(['written', 'folded'])
      .where('user_id', '=', userId)
      .where('id', '=', id),
  );
  if (one === undefined) return;
  db.run(
    sql
      .updateTable('corrections')
      .set({ settled: 1 })
      .where('user_id', '=', userId)
      .where('written', '=', one.written)
      .where('folded', '=', one.folded),
  );
};

export const deleteCorrections = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.deleteFrom('corrections').where('transcript_id', '=', transcriptId));
};

export const deleteCorrectionsOf = (db: WritableDb, userId: string): void => {
  db.run(sql.deleteFrom('corrections').where('user_id', '=', userId));
};
