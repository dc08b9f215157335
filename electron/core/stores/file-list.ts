import { sql as raw } from 'kysely';
import { type ReadableDb, sql } from './database.ts';
import { storageUsage } from './files.ts';
import type { FileRow } from './schema.ts';

export type FileFilter = {
  readonly folder?: string | undefined;
  /** The beginning of the key, with the user's part. */
  readonly prefix?: string | undefined;
  /** A part of the name or of a metadata value. */
  readonly q?: string | undefined;
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly page: number;
  readonly limit: number;
  readonly sort: 'uploaded_at' | 'name' | 'size';
  readonly order: 'asc' | 'desc';
};

/** FTS5's trigram index finds three characters or more; a shorter text is looked for in the names. */
const TRIGRAM = 3;

const literalLike = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** The least text that is above every text beginning with `prefix`. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** Conditions that leave few rows, which are then looked up one by one and sorted. */
const isSelective = ({ prefix, q, metadata }: FileFilter): boolean =>
  prefix !== undefined || metadata.length > 0 || [...(q ?? '')].length >= TRIGRAM;

const filtered = (userId: string, filter: FileFilter) => {
  const { folder, prefix, q, metadata } = filter;
  // The plus keeps SQLite from walking over all of the user's files in the order of the sort.
  const owner = isSelective(filter) ? raw<string>`+user_id` : raw.ref<string>('user_id');
  let query = sql.selectFrom('files').where(owner, '=', userId);
  if (folder !== undefined) {
    query = query.where(isSelective(filter) ? raw<string>`+folder` : raw.ref<string>('folder'), '=', folder);
  }
  if (prefix !== undefined) query = query.where('key', '>=', prefix).where('key', '<', afterPrefix(prefix));
  for (const [key, value] of metadata) {
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('file_metadata')
        .select('file_id')
        .where('user_id', '=', userId)
        .where('key', '=', key)
        .where('value', '=', value),
    );
  }
  if (q === undefined || q === '') return query;
  // No name holds control characters, and FTS5 reads its query only as far as a NUL.
  if (/\p{Cc}/u.test(q)) return query.where(raw<boolean>`0`);
  if ([...q].length < TRIGRAM) {
    return query.where(raw<boolean>`original_name LIKE ${literalLike(q)} ESCAPE '\\'`);
  }
  const phrase = `"${q.replaceAll('"', '""')}"`;
  return query.where('number', 'in', (eb) =>
    eb.selectFrom('files_text').select('rowid').where(raw<boolean>`files_text MATCH ${phrase}`),
  );
};

const COLUMN = { uploaded_at: 'uploaded_at', name: 'original_name', size: 'size' } as const;

/** The query of one page, for a test of its plan as well. */
export const filePage = (userId: string, filter: FileFilter) => {
  const { sort, order, limit, page } = filter;
  const column = raw.ref(COLUMN[sort]);
  const sorted = sort === 'name' ? raw`${column} COLLATE NOCASE` : column;
  return filtered(userId, filter)
    .selectAll()
    .orderBy(sorted, order)
    .orderBy('id', order)
    .limit(limit)
    .offset((page - 1) * limit);
};

const countFiles = (db: ReadableDb, userId: string, filter: FileFilter): number => {
  const { folder, prefix, q, metadata } = filter;
  const onlyFolder = prefix === undefined && (q === undefined || q === '') && metadata.length === 0;
  if (!onlyFolder) {
    const query = filtered(userId, filter).select((eb) => eb.fn.countAll<number>().as('count'));
    return db.get(query)?.count ?? 0;
  }
  if (folder === undefined) return storageUsage(db, userId).files;
  const known = sql.selectFrom('file_folders').select('files').where('user_id', '=', userId);
  return db.get(known.where('folder', '=', folder))?.files ?? 0;
};

/** One page of a user's files, and how many the filter leaves in all. */
export const listFiles = (
  db: ReadableDb,
  userId: string,
  filter: FileFilter,
): { rows: FileRow[]; total: number } => ({
  rows: db.all(filePage(userId, filter)),
  total: countFiles(db, userId, filter),
});

/** The folders in which a user has files, in alphabetical order. */
export const listFolders = (db: ReadableDb, userId: string): string[] =>
  db
    .all(sql.selectFrom('file_folders').select('folder').where('user_id', '=', userId).orderBy('folder'))
    .map((row) => row.folder);
