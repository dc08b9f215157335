import { sql as raw } from 'kysely';
import { type ReadableDb, sql, type WritableDb } from './database.ts';

/** The price of a finished transcript. */
export type CreditCharge = {
  readonly transcriptId: string;
  readonly userId: string;
  readonly model: string;
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly seconds: number;
  readonly credits: number;
  readonly chargedAt: number;
};

/** Books a charge, which stays when the transcript is deleted. */
export const chargeCredits = (
  db: WritableDb,
  { transcriptId, userId, chargedAt, ...charge }: CreditCharge,
): void => {
  db.run(
    sql
      .insertInto('credits')
      .values({ ...charge, transcript_id: transcriptId, user_id: userId, charged_at: chargedAt }),
  );
};

export const creditsUsed = (db: ReadableDb, userId: string): number =>
  db.get(
    sql
      .selectFrom('credits')
      .select((eb) => eb.fn.sum<number | null>('credits').as('total'))
      .where('user_id', '=', userId),
  )?.total ?? 0;

/** What the user's transcripts in progress have reserved, except one, counting at least `least` for each. */
export const creditsReserved = (
  db: ReadableDb,
  userId: string,
  { except, least }: { readonly except: string; readonly least: number },
): number =>
  db.get(
    sql
      .selectFrom('transcripts')
      .select(raw<number | null>`sum(max(credits_reserved, ${least}))`.as('total'))
      .where('user_id', '=', userId)
      .where('status', '=', 'processing')
      .where('id', '!=', except),
  )?.total ?? 0;

type CreditGroup = { name: string; credits: number; seconds: number; transcripts: number };

export const creditsBy = (db: ReadableDb, userId: string, column: 'model' | 'month'): CreditGroup[] =>
  db.all(
    sql
      .selectFrom('credits')
      .where('user_id', '=', userId)
      .select((eb) => [
        eb.ref(column).as('name'),
        eb.fn.sum<number>('credits').as('credits'),
        eb.fn.sum<number>('seconds').as('seconds'),
        eb.fn.countAll<number>().as('transcripts'),
      ])
      .groupBy(column)
      .orderBy(column),
  );
