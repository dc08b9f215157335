import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { TranscriptRow } from './schema.ts';

export type TranscriptFilter = {
  page: number;
  limit: number;
  status?: TranscriptRow['status'] | undefined;
  language?: string | undefined;
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

/** One page of a user's transcripts, and how many the filter leaves in all. */
export const listTranscripts = (
  db: ReadableDb,
  userId: string,
  filter: TranscriptFilter,
): { rows: TranscriptListRow[]; total: number } => {
  let base = sql.selectFrom('transcripts').where('user_id', '=', userId);
  if (filter.status !== undefined) base = base.where('status', '=', filter.status);
  if (filter.language !== undefined) base = base.where('language', '=', filter.language);
  const total = db.get(base.select((query) => query.fn.countAll<number>().as('count')))?.count ?? 0;
  const rows = db.all(
    base
      .select(LIST_COLUMNS)
      .orderBy(filter.sort, filter.order)
      .orderBy('id', filter.order)
      .limit(filter.limit)
      .offset((filter.page - 1) * filter.limit),
  );
  return { rows, total };
};

export const userStatistics = (db: ReadableDb, userId: string) =>
  db.get(sql.selectFrom('statistics').selectAll().where('user_id', '=', userId));

export const updateTranscript = (db: WritableDb, id: string, change: Partial<TranscriptRow>): boolean =>
  db.run(sql.updateTable('transcripts').set(change).where('id', '=', id)).changes > 0;

export const deleteTranscript = (db: WritableDb, userId: string, id: string): boolean =>
  db.run(sql.deleteFrom('transcripts').where('id', '=', id).where('user_id', '=', userId)).changes > 0;

/** Ids of a user's transcripts, for deleting the user. */
export const transcriptIdsOf = (db: ReadableDb, userId: string): string[] =>
  db.all(sql.selectFrom('transcripts').select('id').where('user_id', '=', userId)).map((row) => row.id);

/** Transcripts made from a stored file. */
export const transcriptsOfFile = (db: ReadableDb, fileId: string): { id: string; name: string }[] =>
  db.all(sql.selectFrom('transcripts').select(['id', 'name']).where('file_id', '=', fileId));
