import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import {
  type Compilable,
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { AppError, hasCorruptionCode, hasDiskFullCode } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { migrate, newestVersion } from './migrations/index.ts';
import type { Tables } from './schema.ts';

/** Length of a b-tree page's header by the page's type, its first byte (https://www.sqlite.org/fileformat2.html#b_tree_pages). */
const HEADER_BYTES: ReadonlyMap<number, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

/** The first page begins with the header of the file. */
const FILE_HEADER_BYTES = 100;
/** Beyond, the page number that other kinds of pages begin with could look like the type of a b-tree page. */
const MAX_PAGES = 2 ** 25;
const PAGES_PER_READ = 256;

type Gap = { readonly from: number; readonly to: number };

/** The unused bytes between the pointers to the cells of a b-tree page and its cells; undefined for other pages. */
const gapOf = (page: Buffer, header: number): Gap | undefined => {
  const length = HEADER_BYTES.get(page.readUInt8(header));
  if (length === undefined) return undefined;
  const from = header + length + 2 * page.readUInt16BE(header + 3);
  const to = page.readUInt16BE(header + 5) || 65_536;
  return from < to && to <= page.length ? { from, to } : undefined;
};

/**
 * Erases what SQLite leaves in a database file despite `secure_delete`: where rows move to another page, their copies stay
 * in the gap of the first one (`rebuildPage` of btree.c), also after the rows are deleted.
 */
class PageGaps {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Overwrites gaps with zeros from a page on, counted from 0, for about `maxMs`. Returns the page after the last, or
   * undefined at the end of the file. The write-ahead log must be empty, no transaction open, and the caller must then
   * drop its cached pages, all without a pause: the file is written beside SQLite.
   */
  erase(firstPage: number, maxMs: number): number | undefined {
    // Kept open: to close it would give up SQLite's locks of the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
    this.#file ??= openSync(this.#path, 'r+');
    const file = this.#file;
    const start = Buffer.alloc(FILE_HEADER_BYTES);
    if (readSync(file, start, 0, start.length, 0) < start.length) return undefined;
    const size = start.readUInt16BE(16) === 1 ? 65_536 : start.readUInt16BE(16);
    const pages = Math.floor(fstatSync(file).size / size);
    if (pages >= MAX_PAGES) return undefined;
    const end = performance.now() + maxMs;
    const buffer = Buffer.allocUnsafe(PAGES_PER_READ * size);
    let written = 0;
    let page = firstPage;
    do {
      written += this.#eraseIn(file, buffer, page, size);
      page += PAGES_PER_READ;
    } while (page < pages && performance.now() < end);
    if (written > 0) fdatasyncSync(file);
    return page < pages ? page : undefined;
  }

  /** Call it after the database is closed. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Erases the gaps of the pages that one read puts into `buffer`; returns how many there were. */
  #eraseIn(file: number, buffer: Buffer, firstPage: number, size: number): number {
    const zeros = Buffer.alloc(size);
    const length = readSync(file, buffer, 0, buffer.length, firstPage * size);
    let written = 0;
    for (let at = 0; at + size <= length; at += size) {
      const page = buffer.subarray(at, at + size);
      const gap = gapOf(page, firstPage + at === 0 ? FILE_HEADER_BYTES : 0);
      if (gap === undefined) continue;
      const blank = zeros.subarray(0, gap.to - gap.from);
      if (page.subarray(gap.from, gap.to).equals(blank)) continue;
      writeSync(file, blank, 0, blank.length, firstPage * size + at + gap.from);
      written += 1;
    }
    return written;
  }
}

/** Builds typed queries, which a database handle runs synchronously. */
export const sql = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A query written in SQL, for what the builder cannot express. */
export const query = <R>(builder: RawBuilder<R>): Compilable<R> => ({ compile: () => builder.compile(sql) });

/** A handle that reads. Queries are synchronous: SQLite answers in microseconds, and no other request interleaves. */
export type ReadableDb = {
  all<R>(query: Compilable<R>): R[];
  get<R>(query: Compilable<R>): R | undefined;
};

/** A handle that also writes. Transactions are synchronous, so that nothing slow can be awaited inside one. */
export type WritableDb = ReadableDb & {
  run(query: Compilable): { changes: number };
  /** Runs one statement with the parameters of each row: building thousands of queries takes longer than running them. */
  runEach(statement: string, rows: Iterable<readonly unknown[]>): void;
  /**
   * All or nothing; nested calls become savepoints. A deletion that does not fit on the disk is tried again after the
   * reserve was given up. Progress does not wait for the disk: it outlives a crash of the process, but not a power cut.
   */
  transaction<T>(work: () => T, purpose?: 'deletion' | 'progress'): T;
  /**
   * Folds the write-ahead log into the database file and empties it. Returns false, without waiting, while another
   * process uses the database.
   */
  checkpoint(): boolean;
  /**
   * Erases what lingers between the rows of the database file's pages, from `page` (from 0) on for about `maxMs`. Call it
   * right after `checkpoint` returned true. Returns the next page, or undefined at the end.
   */
  eraseGaps(page: number, maxMs: number): number | undefined;
};

export type Database = WritableDb & {
  /** Whether the last process closed the database, rather than crashed. */
  readonly wasClean: boolean;
  /** Whether the start checked the file. */
  readonly wasChecked: boolean;
  /** Whether a query found the file damaged. The next start then checks it. */
  readonly isDamaged: boolean;
  /** Records damage that a check in another thread found. */
  markDamaged(): void;
  /** Calls `listener` once, when the file is first found damaged. */
  onDamaged(listener: () => void): void;
  close(): void;
};

const BUSY_TIMEOUT_MS = 5000;

type OpenOptions = {
  logger: Logger;
  now: () => number;
  /** Whether there are files of a library, which must never be served with an empty database. Default: there are none. */
  hasLibraryFiles?: () => boolean;
  /** Frees some room on the disk; false if there is none to free. */
  giveUpReserve?: () => boolean;
  /** A database up to this size is checked although it was closed. Default 32 MB, which takes a fraction of a second. */
  maxBytesChecked?: number;
};

const MAX_BYTES_CHECKED_AT_START = 32 * 1024 ** 2;

/** The checks of a start found the database damaged. */
class DamagedDatabaseError extends Error {}

const isDamage = (error: unknown): boolean =>
  error instanceof DamagedDatabaseError || hasCorruptionCode(error);

const WAYS_ON =
  'Nothing was changed. Run `earshot doctor`: it says what can be done, and repairs from the last backup. Or choose another folder with --data-dir.';

const openFile = (path: string): BetterSqlite3.Database => {
  const file = new BetterSqlite3(path);
  try {
    file.pragma('journal_mode = WAL');
    // FULL, because an acknowledged upload or job must survive a power cut.
    file.pragma('synchronous = FULL');
    file.pragma('foreign_keys = ON');
    file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    file.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
    file.pragma('secure_delete = ON');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
};

/** Renames a damaged database, with the time in its name; it is never deleted. Returns what was added to the name. */
export const setAside = (path: string, now: number): string => {
  const suffix = `.damaged-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`;
  for (const part of ['', '-wal', '-shm']) {
    if (existsSync(path + part)) renameSync(path + part, path + suffix + part);
  }
  return suffix;
};

const refuseNewer = (file: BetterSqlite3.Database) => {
  const version = Number(file.pragma('user_version', { simple: true }));
  if (version <= newestVersion) return;
  throw new AppError(
    'conflict',
    'The data folder was written by a newer version of Earshot. Install that version, or choose another folder with --data-dir.',
  );
};

type Opening = Pick<Database, 'wasClean' | 'wasChecked'>;

class SqliteDatabase implements Database {
  readonly wasClean: boolean;
  readonly wasChecked: boolean;
  #isDamaged = false;
  #tellDamaged = (): void => {};
  readonly #file: BetterSqlite3.Database;
  readonly #gaps: PageGaps;
  readonly #giveUpReserve: () => boolean;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();

  constructor(file: BetterSqlite3.Database, opening: Opening, giveUpReserve: () => boolean) {
    this.#file = file;
    this.#gaps = new PageGaps(file.name);
    this.wasClean = opening.wasClean;
    this.wasChecked = opening.wasChecked;
    this.#giveUpReserve = giveUpReserve;
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  markDamaged(): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    this.#tellDamaged();
  }

  onDamaged(listener: () => void): void {
    this.#tellDamaged = listener;
  }

  all<R>(query: Compilable<R>): R[] {
    const compiled = query.compile();
    // Kysely types the rows of the query that it compiled, and SQLite returns rows of exactly that query.
    return this.#watch(() => this.#prepare(compiled.sql).all(...compiled.parameters) as R[]);
  }

  get<R>(query: Compilable<R>): R | undefined {
    const compiled = query.compile();
    // As in `all`.
    return this.#watch(() => this.#prepare(compiled.sql).get(...compiled.parameters) as R | undefined);
  }

  run(query: Compilable): { changes: number } {
    const compiled = query.compile();
    const { changes } = this.#watch(() => this.#prepare(compiled.sql).run(...compiled.parameters));
    return { changes };
  }

  runEach(statement: string, rows: Iterable<readonly unknown[]>): void {
    this.#watch(() => {
      const prepared = this.#prepare(statement);
      for (const row of rows) prepared.run(...row);
    });
  }

  transaction<T>(work: () => T, purpose?: 'deletion' | 'progress'): T {
    const run = () => this.#file.transaction(work).immediate();
    if (this.#file.inTransaction || purpose === undefined) return this.#watch(run);
    if (purpose === 'progress') return this.#watch(() => this.#withoutSync(run));
    return this.#watch(() => {
      try {
        return run();
      } catch (error) {
        if (!hasDiskFullCode(error) || !this.#giveUpReserve()) throw error;
        return run();
      }
    });
  }

  checkpoint(): boolean {
    this.#file.pragma('busy_timeout = 0');
    try {
      return this.#watch(() => this.#file.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0);
    } finally {
      this.#file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  eraseGaps(page: number, maxMs: number): number | undefined {
    const next = this.#gaps.erase(page, maxMs);
    // A cached page still holds what its gap held.
    this.#file.pragma('shrink_memory');
    return next;
  }

  close(): void {
    try {
      if (this.#isDamaged) return;
      this.#file.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', '1')").run();
      this.checkpoint();
    } catch (error) {
      // Without the mark, the next start checks the file.
      if (!isDamage(error) && !hasDiskFullCode(error)) throw error;
    } finally {
      this.#file.close();
      this.#gaps.close();
    }
  }

  /** With a write-ahead log, a commit under NORMAL is synced by the next one under FULL (https://sqlite.org/wal.html). */
  #withoutSync<T>(work: () => T): T {
    this.#file.pragma('synchronous = NORMAL');
    try {
      return work();
    } finally {
      this.#file.pragma('synchronous = FULL');
    }
  }

  #watch<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) this.markDamaged();
      throw error;
    }
  }

  #prepare(text: string): BetterSqlite3.Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    if (this.#statements.size > 500) this.#statements.clear();
    const statement = this.#file.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Refuses to make an empty database beside the files of a library. */
const refuseEmptyLibrary = ({ hasLibraryFiles }: OpenOptions): void => {
  if (hasLibraryFiles?.() !== true) return;
  throw new AppError(
    'library_damaged',
    `The database of this data folder is missing or empty, though there are files of its library. ${WAYS_ON}`,
  );
};

/** Sets a damaged database aside if nothing else is in the data folder, and refuses to go on otherwise. */
const replaceDamaged = (path: string, { logger, now, hasLibraryFiles }: OpenOptions): void => {
  if (hasLibraryFiles?.() === true) {
    throw new AppError('library_damaged', `The database of this data folder is damaged. ${WAYS_ON}`);
  }
  const suffix = setAside(path, now());
  logger.error({ suffix }, 'The database was damaged; it was set aside and replaced by an empty one');
};

const openAndMigrate = (path: string, options: OpenOptions): Database => {
  // Before SQLite opens it: it would remove the write-ahead log of an empty file.
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size === 0) refuseEmptyLibrary(options);
  const file = openFile(path);
  try {
    refuseNewer(file);
    const fresh = Number(file.pragma('user_version', { simple: true })) === 0;
    if (fresh) refuseEmptyLibrary(options);
    const wasClean =
      fresh || file.prepare("SELECT value FROM meta WHERE key = 'clean'").pluck().get() === '1';
    const wasChecked = !wasClean || size <= (options.maxBytesChecked ?? MAX_BYTES_CHECKED_AT_START);
    if (wasChecked && file.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new DamagedDatabaseError('The database is damaged.');
    }
    migrate(file);
    // The words of the search index; for this connection only, since it stores nothing.
    file.exec("CREATE VIRTUAL TABLE temp.search_words USING fts5vocab('main', 'search_index', 'row')");
    file.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', '0')").run();
    const database = new SqliteDatabase(
      file,
      { wasClean, wasChecked },
      options.giveUpReserve ?? (() => false),
    );
    // The log of a crashed process may hold text from before a redaction.
    if (!wasClean) database.checkpoint();
    return database;
  } catch (error) {
    file.close();
    throw error;
  }
};

/**
 * Opens the database at `path` and migrates it to the newest version. After a crash, and if it is small, it checks
 * the file first; a damaged one is set aside. Leaves the file untouched and throws `conflict` for a database of a newer
 * version, `library_damaged` for one that is damaged, empty or missing beside the files of a library.
 */
export const openDatabase = (path: string, options: OpenOptions): Database => {
  try {
    return openAndMigrate(path, options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    replaceDamaged(path, options);
    return openAndMigrate(path, options);
  }
};
