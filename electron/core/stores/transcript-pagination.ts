import { type ReadableDb, sql } from './database.ts';
import type { Transcript, TranscriptRow } from './transcript-record.ts';

export type CursorFilter = {
  readonly limit: number;
  readonly status?: Transcript['status'] | undefined;
  /** Among the processing ones: whether a worker has taken the job. */
  readonly running?: boolean | undefined;
  /** Milliseconds since the epoch; the end is exclusive. */
  readonly created?: { readonly from: number; readonly to: number } | undefined;
  /** Only transcripts older, or only newer, than this id. */
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

/** The columns of a transcript in a paginated list. */
export type ListedTranscript = Pick<
  Transcript,
  'id' | 'audioUrl' | 'status' | 'createdAt' | 'completedAt'
> & {
  readonly isRunning: boolean;
  readonly errorMessage: string | null;
};

const decode = (row: Pick<TranscriptRow, (typeof COLUMNS)[number]>): ListedTranscript => ({
  id: row.id,
  audioUrl: row.audio_url,
  status: row.status,
  isRunning: row.lease !== null,
  createdAt: row.created_at,
  completedAt: row.completed_at,
  errorMessage: row.error_message,
});

/**
 * A user's transcripts next to a cursor, newest first. Ids sort by creation time, so a page stays the same while
 * transcripts are added.
 */
export const transcriptsAtCursor = (
  db: ReadableDb,
  userId: string,
  filter: CursorFilter,
): ListedTranscript[] => {
  const { status, running, created, beforeId, afterId } = filter;
  let query = sql.selectFrom('transcripts').select(COLUMNS).where('user_id', '=', userId).limit(filter.limit);
  if (status !== undefined) query = query.where('status', '=', status);
  if (running !== undefined) query = query.where('lease', running ? 'is not' : 'is', null);
  if (created !== undefined) {
    query = query.where('created_at', '>=', created.from).where('created_at', '<', created.to);
  }
  if (beforeId !== undefined) query = query.where('id', '<', beforeId);
  if (afterId !== undefined) query = query.where('id', '>', afterId);
  // After a cursor the nearest ids are wanted, so these are read in ascending order and reversed.
  if (afterId !== undefined && beforeId === undefined) {
    return db.all(query.orderBy('id', 'asc')).map(decode).reverse();
  }
  return db.all(query.orderBy('id', 'desc')).map(decode);
};
