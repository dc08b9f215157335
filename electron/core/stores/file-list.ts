import { sql as raw } from 'kysely';
import { type ReadableDb, sql } from './database.ts';
import { type FileRecord, fileRecord, storageUsage } from './files.ts';

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

/** FTS5's trigram index needs three characters; shorter queries scan the names. */
const TRIGRAM = 3;

const literalLike = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** An upper bound of all texts that begin with `prefix`. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** Whether the filter leaves so few rows that sorting them is cheaper than walking an index in the requested order. */
const isSelective = ({ prefix, q, metadata }: FileFilter): boolean =>
  prefix !== undefined || metadata.length > 0 || [...(q ?? '')].length >= TRIGRAM;

const filtered = (userId: string, filter: FileFilter) => {
  const { folder, prefix, q, metadata } = filter;
  // Unary plus keeps SQLite from using the index of the sort order, which would visit all of the user's files.
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
  // No name holds control characters, and FTS5 stops reading its query at a NUL.
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

/** The query of one page; exported so that a test can check its plan. */
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

/** One page of a user's files, and the number of all that match. */
export const listFiles = (
  db: ReadableDb,
  userId: string,
  filter: FileFilter,
): { files: FileRecord[]; total: number } => ({
  files: db.all(filePage(userId, filter)).map(fileRecord),
  total: countFiles(db, userId, filter),
});

/** The folders in which a user has files, in alphabetical order. */
export const listFolders = (db: ReadableDb, userId: string): string[] =>
  db
    .all(sql.selectFrom('file_folders').select('folder').where('user_id', '=', userId).orderBy('folder'))
    .map((row) => row.folder);
