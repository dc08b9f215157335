import { type ReadableDb, sql, type WritableDb } from './database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A creation that was asked for under an idempotency key. */
export type IdempotentCreation = {
  readonly userId: string;
  readonly key: string;
  readonly bodyHash: string;
  readonly transcriptId: string;
  readonly createdAt: number;
};

/** The first creation under this key within the last 24 hours. */
export const findIdempotent = (
  db: ReadableDb,
  userId: string,
  key: string,
  now: number,
): IdempotentCreation | undefined => {
  const row = db.get(
    sql
      .selectFrom('idempotency')
      .selectAll()
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('created_at', '>', now - DAY_MS),
  );
  if (row === undefined) return undefined;
  const { body_hash: bodyHash, transcript_id: transcriptId, created_at: createdAt } = row;
  return { userId, key, bodyHash, transcriptId, createdAt };
};

/** Remembers a key, and deletes those older than 24 hours. */
export const rememberIdempotent = (
  db: WritableDb,
  { userId, key, bodyHash, transcriptId, createdAt }: IdempotentCreation,
): void => {
  db.run(sql.deleteFrom('idempotency').where('created_at', '<=', createdAt - DAY_MS));
  db.run(
    sql.replaceInto('idempotency').values({
      user_id: userId,
      key,
      body_hash: bodyHash,
      transcript_id: transcriptId,
      created_at: createdAt,
    }),
  );
};
