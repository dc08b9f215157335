import { type ReadableDb, sql } from './database.ts';
import type { TranscriptRow } from './schema.ts';

export type PageFilter = {
  readonly limit: number;
  readonly status?: TranscriptRow['status'] | undefined;
  /** Among those at work: whether a worker has taken it. */
  readonly running?: boolean | undefined;
  /** Milliseconds since the epoch; the end is exclusive. */
  readonly created?: { readonly from: number; readonly to: number } | undefined;
  /** Only older, or only newer than this id. */
  readonly beforeId?: string | undefined;
  readonly afterId?: string | undefined;
};

const COLUMNS = [
  'id',
  'audio_url',
  'status',
  'lease',
  'created_at',
  'completed_at',
  'error_message',
] as const;

export type TranscriptPageRow = Pick<TranscriptRow, (typeof COLUMNS)[number]>;

/**
 * Some of a user's transcripts next to a cursor, newest first. Ids sort by creation time, so that a page stays
 * the same when others are added.
 */
export const pageOfTranscripts = (
  db: ReadableDb,
  userId: string,
  filter: PageFilter,
): TranscriptPageRow[] => {
  const { status, running, created, beforeId, afterId } = filter;
  let query = sql.selectFrom('transcripts').select(COLUMNS).where('user_id', '=', userId).limit(filter.limit);
  if (status !== undefined) query = query.where('status', '=', status);
  if (running !== undefined) query = query.where('lease', running ? 'is not' : 'is', null);
  if (created !== undefined) {
    query = query.where('created_at', '>=', created.from).where('created_at', '<', created.to);
  }
  if (beforeId !== undefined) query = query.where('id', '<', beforeId);
  if (afterId !== undefined) query = query.where('id', '>', afterId);
  // After a cursor the nearest come first, to be turned round.
  if (afterId !== undefined && beforeId === undefined) return db.all(query.orderBy('id', 'asc')).reverse();
  return db.all(query.orderBy('id', 'desc'));
};
