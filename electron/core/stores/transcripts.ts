import { sql as raw } from 'kysely';
import {
  decodeError,
  decodeTranscript,
  ERROR_COLUMNS,
  encodeTranscript,
  encodeUpdate,
  listedAnalysisCodec,
  partOfTranscript,
  type Transcript,
  type TranscriptChange,
  type TranscriptRow,
} from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import { type IndexedText, syncIndex, touchesIndex } from './search.ts';

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

const CURSOR_COLUMNS = [
  'id',
  'audio_url',
  'status',
  'lease',
  'created_at',
  'completed_at',
  'error_message',
] as const;

/** The columns of a transcript in a paginated list. */
export type TranscriptAtCursor = Pick<
  Transcript,
  'id' | 'audioUrl' | 'status' | 'createdAt' | 'completedAt'
> & {
  readonly isRunning: boolean;
  readonly errorMessage: string | null;
};

const decodeAtCursor = (row: Pick<TranscriptRow, (typeof CURSOR_COLUMNS)[number]>): TranscriptAtCursor => ({
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
): TranscriptAtCursor[] => {
  const { status, running, created, beforeId, afterId } = filter;
  let query = sql
    .selectFrom('transcripts')
    .select(CURSOR_COLUMNS)
    .where('user_id', '=', userId)
    .limit(filter.limit);
  if (status !== undefined) query = query.where('status', '=', status);
  if (running !== undefined) query = query.where('lease', running ? 'is not' : 'is', null);
  if (created !== undefined) {
    query = query.where('created_at', '>=', created.from).where('created_at', '<', created.to);
  }
  if (beforeId !== undefined) query = query.where('id', '<', beforeId);
  if (afterId !== undefined) query = query.where('id', '>', afterId);
  // After a cursor the nearest ids are wanted, so these are read in ascending order and reversed.
  if (afterId !== undefined && beforeId === undefined) {
    return db.all(query.orderBy('id', 'asc')).map(decodeAtCursor).reverse();
  }
  return db.all(query.orderBy('id', 'desc')).map(decodeAtCursor);
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** A creation that was asked for under an idempotency key. */
type IdempotentCreation = {
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

export type TranscriptFilter = {
  page: number;
  limit: number;
  status?: Transcript['status'] | undefined;
  /** Only failed ones: those that their user stopped, or all others. */
  reason?: 'cancelled' | 'error' | undefined;
  language?: string | undefined;
  /** As requested, such as `pro`. */
  model?: string | undefined;
  /** Milliseconds since the epoch; the end is exclusive. */
  createdFrom?: number | undefined;
  createdTo?: number | undefined;
  fileId?: string | undefined;
  sort: 'created_at' | 'duration' | 'confidence';
  order: 'asc' | 'desc';
};

/** A list shows `preview`, so that it does not read whole texts. */
const LISTED = partOfTranscript([
  'id',
  'name',
  'preview',
  'language',
  'confidence',
  'duration',
  'wordCount',
  'status',
  'stage',
  'percent',
  'model',
  'createdAt',
  'completedAt',
  'fileName',
  'fileSize',
  'fileFormat',
  'creditsUsed',
  'warnings',
]);
const LIST_COLUMNS = [...LISTED.columns, 'analysis', ...ERROR_COLUMNS] as const;

type ListedRow = Pick<TranscriptRow, (typeof LIST_COLUMNS)[number]>;

const decodeListed = (row: ListedRow) => ({
  ...LISTED.decode(row),
  analysis: listedAnalysisCodec.decode(row.analysis),
  error: decodeError(row),
});

/** What a list shows of a transcript. */
export type ListedTranscript = Readonly<ReturnType<typeof decodeListed>>;

const decodeIfFound = (row: TranscriptRow | undefined): Transcript | undefined =>
  row === undefined ? undefined : decodeTranscript(row);

export const insertTranscript = (db: WritableDb, transcript: Transcript): void => {
  db.run(sql.insertInto('transcripts').values(encodeTranscript(transcript)));
};

export const findTranscript = (db: ReadableDb, id: string): Transcript | undefined =>
  decodeIfFound(db.get(sql.selectFrom('transcripts').selectAll().where('id', '=', id)));

const SUMMARY = partOfTranscript([
  'id',
  'userId',
  'name',
  'status',
  'stage',
  'percent',
  'revision',
  'options',
]);
const SUMMARY_COLUMNS = [...SUMMARY.columns, ...ERROR_COLUMNS] as const;

const decodeSummary = (row: Pick<TranscriptRow, (typeof SUMMARY_COLUMNS)[number]>) => ({
  ...SUMMARY.decode(row),
  error: decodeError(row),
});

/** What events say of a transcript, and what decides how much: without the text and the analyses, which take long to read. */
export type StoredSummary = Readonly<ReturnType<typeof decodeSummary>>;

export const findSummary = (db: ReadableDb, id: string): StoredSummary | undefined => {
  const row = db.get(sql.selectFrom('transcripts').select(SUMMARY_COLUMNS).where('id', '=', id));
  return row && decodeSummary(row);
};

/** What a running job may find changed, without the text and the analyses, which take long to read. */
export const findChangeable = (
  db: ReadableDb,
  id: string,
): Pick<Transcript, 'revision' | 'fileId'> | undefined => {
  const row = db.get(sql.selectFrom('transcripts').select(['revision', 'file_id']).where('id', '=', id));
  return row && { revision: row.revision, fileId: row.file_id };
};

export const findOwnTranscript = (db: ReadableDb, userId: string, id: string): Transcript | undefined =>
  decodeIfFound(
    db.get(sql.selectFrom('transcripts').selectAll().where('id', '=', id).where('user_id', '=', userId)),
  );

/** The user's waiting and running transcripts, in the queue's order. */
export const findProcessing = (db: ReadableDb, userId: string): StoredSummary[] =>
  db
    .all(
      sql
        .selectFrom('transcripts')
        .select(SUMMARY_COLUMNS)
        .where('user_id', '=', userId)
        .where('status', '=', 'processing')
        .orderBy('queue_order'),
    )
    .map(decodeSummary);

const filtered = (userId: string, filter: TranscriptFilter) => {
  const { status, reason, language, model, createdFrom, createdTo, fileId } = filter;
  // The plus stops SQLite from using an index on user_id if the file selects far fewer transcripts.
  const owner = fileId === undefined ? raw.ref<string>('user_id') : raw<string>`+user_id`;
  let query = sql.selectFrom('transcripts').where(owner, '=', userId);
  if (fileId !== undefined) query = query.where('file_id', '=', fileId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (reason !== undefined) {
    const operator = reason === 'cancelled' ? 'is' : 'is not';
    query = query.where('status', '=', 'failed').where('error_code', operator, 'cancelled');
  }
  if (language !== undefined) query = query.where('language', '=', language);
  if (model !== undefined) query = query.where('model', '=', model);
  if (createdFrom !== undefined) query = query.where('created_at', '>=', createdFrom);
  if (createdTo !== undefined) query = query.where('created_at', '<', createdTo);
  return query;
};

/**
 * The query of one page of `total` rows; exported for the test of its query plan and the bench. SQLite walks over the rows
 * before a page, so one of the second half is read from the end, and its rows come in reversed order.
 */
export const transcriptPage = (userId: string, filter: TranscriptFilter, total: number) => {
  const { sort, order, limit, page } = filter;
  const before = Math.min((page - 1) * limit, total);
  const count = Math.min(limit, total - before);
  const after = total - before - count;
  const isReversed = after < before;
  const walked = isReversed ? ({ asc: 'desc', desc: 'asc' } as const)[order] : order;
  const query = filtered(userId, filter)
    .select(LIST_COLUMNS)
    .orderBy(sort, walked)
    .orderBy('id', walked)
    .limit(count)
    .offset(isReversed ? after : before);
  return { query, isReversed };
};

/** Whether a filter leaves nothing out: how many these are is known without counting. */
const isWhole = ({
  status,
  reason,
  language,
  model,
  createdFrom,
  createdTo,
  fileId,
}: TranscriptFilter): boolean =>
  [status, reason, language, model, createdFrom, createdTo, fileId].every((value) => value === undefined);

/** The query of their number; exported for the bench. */
export const transcriptCount = (userId: string, filter: TranscriptFilter) =>
  filtered(userId, filter).select((query) => query.fn.countAll<number>().as('count'));

/** A page of the filtered transcripts of a user, and their total number. */
export const listTranscripts = (
  db: ReadableDb,
  userId: string,
  filter: TranscriptFilter,
): { items: ListedTranscript[]; total: number } => {
  const total = isWhole(filter)
    ? userStatistics(db, userId).transcripts
    : (db.get(transcriptCount(userId, filter))?.count ?? 0);
  const { query, isReversed } = transcriptPage(userId, filter, total);
  const items = db.all(query).map(decodeListed);
  return { items: isReversed ? items.toReversed() : items, total };
};

/** Sums over all transcripts of a user, which triggers keep up to date. */
export const userStatistics = (db: ReadableDb, userId: string) => {
  const row = db.get(sql.selectFrom('statistics').selectAll().where('user_id', '=', userId));
  return {
    transcripts: row?.transcripts ?? 0,
    duration: row?.duration ?? 0,
    credits: row?.credits ?? 0,
    meanConfidence:
      row === undefined || row.confidence_count === 0 ? 0 : row.confidence_sum / row.confidence_count,
  };
};

/** Updates a transcript and its search entry in one transaction; false if it does not exist. */
export const updateTranscript = (
  db: WritableDb,
  id: string,
  change: TranscriptChange,
  indexed?: IndexedText,
): boolean =>
  db.transaction(() => {
    const isChanged =
      db.run(sql.updateTable('transcripts').set(encodeUpdate(change)).where('id', '=', id)).changes > 0;
    if (isChanged && touchesIndex(change)) syncIndex(db, id, change, indexed);
    return isChanged;
  });

export const deleteTranscript = (db: WritableDb, userId: string, id: string): boolean =>
  db.run(sql.deleteFrom('transcripts').where('id', '=', id).where('user_id', '=', userId)).changes > 0;

/** Ids of all of a user's transcripts. */
export const transcriptIdsOf = (db: ReadableDb, userId: string): string[] =>
  db.all(sql.selectFrom('transcripts').select('id').where('user_id', '=', userId)).map((row) => row.id);

/** Transcripts made from a stored file. */
export const transcriptsOfFile = (db: ReadableDb, fileId: string): { id: string; name: string }[] =>
  db.all(sql.selectFrom('transcripts').select(['id', 'name']).where('file_id', '=', fileId));
