import { existsSync, renameSync } from 'node:fs';
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
import { AppError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { migrate, newestVersion } from './migrations/index.ts';
import type { Tables } from './schema.ts';

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
  /** All or nothing; nested calls become savepoints. */
  transaction<T>(work: () => T): T;
  /** Folds the write-ahead log into the database file and empties it; false while another process reads from it. */
  checkpoint(): boolean;
};

export type Database = WritableDb & {
  /** Whether the last process closed the database, rather than crashed. */
  readonly wasClean: boolean;
  close(): void;
};

type OpenOptions = { logger: Logger; now: () => number };

const isCorruption = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes(String(error.code));

const openFile = (path: string): BetterSqlite3.Database => {
  const file = new BetterSqlite3(path);
  try {
    file.pragma('journal_mode = WAL');
    // FULL, because an acknowledged upload or job must survive a power cut.
    file.pragma('synchronous = FULL');
    file.pragma('foreign_keys = ON');
    file.pragma('busy_timeout = 5000');
    file.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
    file.pragma('secure_delete = ON');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
};

const isSound = (path: string): boolean => {
  try {
    const file = openFile(path);
    try {
      return file.pragma('quick_check(1)', { simple: true }) === 'ok';
    } finally {
      file.close();
    }
  } catch (error) {
    if (isCorruption(error)) return false;
    throw error;
  }
};

/** Renames a damaged database, with the time in its name; it is never deleted. */
const setAside = (path: string, now: number, logger: Logger) => {
  const suffix = `.damaged-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`;
  for (const part of ['', '-wal', '-shm']) {
    if (existsSync(path + part)) renameSync(path + part, path + suffix + part);
  }
  logger.error({ suffix }, 'The database was damaged; it was set aside and replaced by an empty one');
};

const refuseNewer = (file: BetterSqlite3.Database) => {
  const version = Number(file.pragma('user_version', { simple: true }));
  if (version <= newestVersion) return;
  throw new AppError(
    'conflict',
    'The data folder was written by a newer version of Earshot. Install that version, or choose another folder with --data-dir.',
  );
};

class SqliteDatabase implements Database {
  readonly wasClean: boolean;
  readonly #file: BetterSqlite3.Database;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();

  constructor(file: BetterSqlite3.Database, wasClean: boolean) {
    this.#file = file;
    this.wasClean = wasClean;
  }

  all<R>(query: Compilable<R>): R[] {
    const compiled = query.compile();
    // Kysely types the rows of the query that it compiled, and SQLite returns rows of exactly that query.
    return this.#prepare(compiled.sql).all(...compiled.parameters) as R[];
  }

  get<R>(query: Compilable<R>): R | undefined {
    const compiled = query.compile();
    // As in `all`.
    return this.#prepare(compiled.sql).get(...compiled.parameters) as R | undefined;
  }

  run(query: Compilable): { changes: number } {
    const compiled = query.compile();
    return { changes: this.#prepare(compiled.sql).run(...compiled.parameters).changes };
  }

  transaction<T>(work: () => T): T {
    return this.#file.transaction(work).immediate();
  }

  checkpoint(): boolean {
    return this.#file.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
  }

  close(): void {
    this.#file.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', '1')").run();
    this.checkpoint();
    this.#file.close();
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

/**
 * Opens the database at `path` and migrates it to the newest version. After a crash it checks the file first; a damaged
 * one is set aside. Throws `conflict` for a database of a newer version, and leaves it untouched.
 */
export const openDatabase = (path: string, { logger, now }: OpenOptions): Database => {
  let file: BetterSqlite3.Database;
  try {
    file = openFile(path);
  } catch (error) {
    if (!isCorruption(error)) throw error;
    setAside(path, now(), logger);
    file = openFile(path);
  }
  try {
    refuseNewer(file);
    const fresh = Number(file.pragma('user_version', { simple: true })) === 0;
    const clean = fresh || file.prepare("SELECT value FROM meta WHERE key = 'clean'").pluck().get() === '1';
    if (!clean) {
      file.close();
      if (!isSound(path)) setAside(path, now(), logger);
      file = openFile(path);
    }
    migrate(file);
    file.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('clean', '0')").run();
    const database = new SqliteDatabase(file, clean);
    // The log of a crashed process may hold text from before a redaction.
    if (!clean) database.checkpoint();
    return database;
  } catch (error) {
    if (file.open) file.close();
    if (!isCorruption(error)) throw error;
    setAside(path, now(), logger);
    return openDatabase(path, { logger, now });
  }
};
