import { sql as raw } from 'kysely';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { TranscriptRow } from './schema.ts';
import { syncIndex, touchesIndex } from './search.ts';

export type TranscriptFilter = {
  page: number;
  limit: number;
  status?: TranscriptRow['status'] | undefined;
  language?: string | undefined;
  /** As it was asked for. */
  model?: string | undefined;
  /** Milliseconds since the epoch; the end is exclusive. */
  createdFrom?: number | undefined;
  createdTo?: number | undefined;
  fileId?: string | undefined;
  sort: 'created_at' | 'duration' | 'confidence';
  order: 'asc' | 'desc';
};

/** A list shows `preview`, so it never reads the texts and results themselves. */
const LIST_COLUMNS = [
  'id',
  'name',
  'preview',
  'language',
  'confidence',
  'duration',
  'word_count',
  'status',
  'stage',
  'percent',
  'lease',
  'model',
  'created_at',
  'completed_at',
  'file_name',
  'file_size',
  'file_format',
  'credits_used',
  'analysis',
  'speaker_names',
  'error_code',
  'error_message',
  'error_stage',
] as const;

export type TranscriptListRow = Pick<TranscriptRow, (typeof LIST_COLUMNS)[number]>;

export const insertTranscript = (db: WritableDb, row: TranscriptRow): void => {
  db.run(sql.insertInto('transcripts').values(row));
};

export const findTranscript = (db: ReadableDb, id: string): TranscriptRow | undefined =>
  db.get(sql.selectFrom('transcripts').selectAll().where('id', '=', id));

export const findOwnTranscript = (db: ReadableDb, userId: string, id: string): TranscriptRow | undefined =>
  db.get(sql.selectFrom('transcripts').selectAll().where('id', '=', id).where('user_id', '=', userId));

export const findProcessing = (db: ReadableDb, userId: string): TranscriptRow[] =>
  db.all(
    sql
      .selectFrom('transcripts')
      .selectAll()
      .where('user_id', '=', userId)
      .where('status', '=', 'processing')
      .orderBy('queue_order'),
  );

const filtered = (userId: string, filter: TranscriptFilter) => {
  const { status, language, model, createdFrom, createdTo, fileId } = filter;
  // The plus keeps SQLite from walking over all of the user's transcripts where the file leaves a few.
  const owner = fileId === undefined ? raw.ref<string>('user_id') : raw<string>`+user_id`;
  let query = sql.selectFrom('transcripts').where(owner, '=', userId);
  if (fileId !== undefined) query = query.where('file_id', '=', fileId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (language !== undefined) query = query.where('language', '=', language);
  if (model !== undefined) query = query.where('model', '=', model);
  if (createdFrom !== undefined) query = query.where('created_at', '>=', createdFrom);
  if (createdTo !== undefined) query = query.where('created_at', '<', createdTo);
  return query;
};

/** The query of one page, for a test of its plan as well. */
export const transcriptPage = (userId: string, filter: TranscriptFilter) =>
  filtered(userId, filter)
    .select(LIST_COLUMNS)
    .orderBy(filter.sort, filter.order)
    .orderBy('id', filter.order)
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit);

/** One page of a user's transcripts, and how many the filter leaves in all. */
export const listTranscripts = (
  db: ReadableDb,
  userId: string,
  filter: TranscriptFilter,
): { rows: TranscriptListRow[]; total: number } => {
  const count = filtered(userId, filter).select((query) => query.fn.countAll<number>().as('count'));
  return { rows: db.all(transcriptPage(userId, filter)), total: db.get(count)?.count ?? 0 };
};

export const userStatistics = (db: ReadableDb, userId: string) =>
  db.get(sql.selectFrom('statistics').selectAll().where('user_id', '=', userId));

/** Updates a row, and its search entry in the same transaction; false when there is no such row. */
export const updateTranscript = (db: WritableDb, id: string, change: Partial<TranscriptRow>): boolean =>
  db.transaction(() => {
    const isChanged = db.run(sql.updateTable('transcripts').set(change).where('id', '=', id)).changes > 0;
    if (isChanged && touchesIndex(change)) syncIndex(db, id);
    return isChanged;
  });

export const deleteTranscript = (db: WritableDb, userId: string, id: string): boolean =>
  db.run(sql.deleteFrom('transcripts').where('id', '=', id).where('user_id', '=', userId)).changes > 0;

/** Ids of a user's transcripts, for deleting the user. */
export const transcriptIdsOf = (db: ReadableDb, userId: string): string[] =>
  db.all(sql.selectFrom('transcripts').select('id').where('user_id', '=', userId)).map((row) => row.id);

/** Transcripts made from a stored file. */
export const transcriptsOfFile = (db: ReadableDb, fileId: string): { id: string; name: string }[] =>
  db.all(sql.selectFrom('transcripts').select(['id', 'name']).where('file_id', '=', fileId));
