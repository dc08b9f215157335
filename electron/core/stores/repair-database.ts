import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { hasCorruptionCode } from '../base/errors.ts';
import type { Backup } from './backups.ts';
import { setAside } from './database.ts';
import { migrate } from './migrations/index.ts';

/** Tables of a damaged database that could not be read to their end; the rest of them is that of the backup. */
type Salvage = {
  /** Rows that were read. */
  readonly rows: number;
  readonly incomplete: readonly string[];
};

type File = BetterSqlite3.Database;
type Row = Record<string, unknown>;

/** Taken together. */
const TEXTS = new Set(['transcripts', 'segments', 'segment_ranges']);
/** Made anew from the other tables. */
const DERIVED = new Set(['search_rows', 'statistics', 'storage_usage', 'file_folders']);

class UnreadableError extends Error {}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const tablesOf = (file: File): string[] =>
  file
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all()
    .map(String)
    .filter((name) => !DERIVED.has(name));

const columnsOf = (file: File, table: string, condition = ''): string[] =>
  file.prepare(`SELECT name FROM pragma_table_info(?) ${condition}`).pluck().all(table).map(String);

/** Calls `take` with each row until one cannot be read. Returns whether all could be. */
const readRows = (file: File, sql: string, parameters: unknown[], take: (row: Row) => void): boolean => {
  const rows = file.prepare(sql).iterate(...parameters);
  for (;;) {
    let next: IteratorResult<unknown>;
    try {
      next = rows.next();
    } catch {
      return false;
    }
    if (next.done === true) return true;
    // Rows are records of their columns unless the statement was told otherwise.
    take(next.value as Row);
  }
};

/** Copies rows of one table from the damaged database into the one that replaces it. */
class TableSalvage {
  readonly #from: File;
  readonly #to: File;
  readonly #table: string;
  readonly #columns: string;
  readonly #insert: BetterSqlite3.Statement;
  rows = 0;

  constructor(from: File, to: File, table: string) {
    const known = new Set(columnsOf(to, table));
    const columns = columnsOf(from, table).filter((name) => known.has(name));
    this.#from = from;
    this.#to = to;
    this.#table = quoted(table);
    this.#columns = columns.map(quoted).join(', ');
    const values = columns.map((name) => `@${name}`).join(', ');
    this.#insert = to.prepare(`INSERT OR REPLACE INTO ${this.#table} (${this.#columns}) VALUES (${values})`);
  }

  readonly put = (row: Row): void => {
    this.#insert.run(row);
    this.rows++;
  };

  /** Reads in the order of the key, without an index, which may be damaged. */
  scan(direction: 'ASC' | 'DESC', take = this.put): boolean {
    const key = columnsOf(this.#from, this.#table.slice(1, -1), 'WHERE pk > 0 ORDER BY pk');
    const order = key.map((name) => `${quoted(name)} ${direction}`).join(', ');
    const sql = `SELECT ${this.#columns} FROM ${this.#table} NOT INDEXED ORDER BY ${order}`;
    return readRows(this.#from, sql, [], take);
  }

  /** Reads all rows, or what can be read from both ends. Returns whether it was all. */
  scanBothWays(take = this.put): boolean {
    const isWhole = this.scan('ASC', take);
    if (!isWhole) this.scan('DESC', take);
    return isWhole;
  }

  /** Replaces all rows, or, if not all can be read, none. */
  replaceAll(): boolean {
    return this.#replace('', []);
  }

  /** Replaces the rows with this value, or, if not all can be read, none. */
  replaceWhere(column: string, value: unknown): boolean {
    return this.#replace(`WHERE ${quoted(column)} = ?`, [value]);
  }

  #replace(condition: string, parameters: unknown[]): boolean {
    const before = this.rows;
    try {
      this.#to.transaction(() => {
        this.#to.prepare(`DELETE FROM ${this.#table} ${condition}`).run(...parameters);
        const isWhole =
          condition === ''
            ? this.scan('ASC')
            : readRows(
                this.#from,
                `SELECT ${this.#columns} FROM ${this.#table} ${condition}`,
                parameters,
                this.put,
              );
        if (!isWhole) throw new UnreadableError();
      })();
      return true;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      this.rows = before;
      return false;
    }
  }
}

/** Takes texts with their segments: a transcript whose segments are not all readable stays that of the backup. */
const salvageTranscripts = (from: File, to: File): Salvage => {
  const transcripts = new TableSalvage(from, to, 'transcripts');
  const segments = new TableSalvage(from, to, 'segments');
  const found = new Set<unknown>();
  const note = ({ id }: Row) => void found.add(id);
  const isListed = transcripts.scanBothWays(note);
  const hasSegments = segments.replaceAll();
  const kept = new Set<unknown>();
  if (!hasSegments) {
    const isKnown = to.prepare('SELECT 1 FROM transcripts WHERE id = ?').pluck();
    for (const id of found) {
      if (segments.replaceWhere('transcript_id', id)) continue;
      if (isKnown.get(id) !== undefined) kept.add(id);
    }
  }
  const ranges = new TableSalvage(from, to, 'segment_ranges');
  ranges.scanBothWays((row) => {
    if (!kept.has(row.transcript_id)) ranges.put(row);
  });
  const isWhole = transcripts.scanBothWays((row) => {
    if (!kept.has(row.id)) transcripts.put(row);
  });
  if (isListed) {
    const remove = to.prepare('DELETE FROM transcripts WHERE id = ?');
    for (const id of to.prepare('SELECT id FROM transcripts').pluck().all())
      if (!found.has(id)) remove.run(id);
  }
  const incomplete = [...(isWhole ? [] : ['transcripts']), ...(hasSegments ? [] : ['segments'])];
  return { rows: transcripts.rows + segments.rows, incomplete };
};

const salvageTable = (from: File, to: File, table: string): Salvage => {
  const salvage = new TableSalvage(from, to, table);
  if (salvage.replaceAll()) return { rows: salvage.rows, incomplete: [] };
  salvage.scanBothWays();
  return { rows: salvage.rows, incomplete: [table] };
};

/**
 * Where segments lie if that could not be read, what triggers would have kept, and the full-text index of files. The index
 * of texts is rebuilt at the next start.
 */
const DERIVE = `
INSERT INTO users (id, name, created_at)
  SELECT DISTINCT user_id, 'recovered ' || user_id, 0 FROM (SELECT user_id FROM transcripts UNION SELECT user_id FROM files)
  WHERE user_id NOT IN (SELECT id FROM users);
UPDATE users SET owner = 1 WHERE id = (SELECT min(id) FROM users) AND NOT EXISTS (SELECT 1 FROM users WHERE owner = 1);
DELETE FROM statistics;
INSERT INTO statistics (user_id, transcripts, duration, credits, confidence_sum, confidence_count)
  SELECT u.id, count(t.id), coalesce(sum(t.duration), 0), coalesce(sum(t.credits_used), 0),
    coalesce(sum(t.confidence), 0), count(t.confidence)
  FROM users u LEFT JOIN transcripts t ON t.user_id = u.id GROUP BY u.id;
DELETE FROM storage_usage;
INSERT INTO storage_usage (user_id, bytes, files)
  SELECT u.id, coalesce(sum(f.size), 0), count(f.id) FROM users u LEFT JOIN files f ON f.user_id = u.id GROUP BY u.id;
DELETE FROM file_folders;
INSERT INTO file_folders (user_id, folder, files) SELECT user_id, folder, count(*) FROM files GROUP BY user_id, folder;
REPLACE INTO segment_ranges (transcript_id, first_id, has_others)
  SELECT s.transcript_id, max(s.id) & ~0x7fffffff, 1 FROM segments s
  LEFT JOIN segment_ranges r ON r.transcript_id = s.transcript_id GROUP BY s.transcript_id
  HAVING sum(s.id >= coalesce(r.first_id, 0) AND s.id < coalesce(r.first_id, 0) + 0x80000000) = 0;
UPDATE speaker_voices SET remembered_as = NULL WHERE remembered_as NOT IN (SELECT id FROM remembered_voices);
DELETE FROM pending_objects WHERE object IN (SELECT object FROM files);
INSERT INTO files_text (files_text) VALUES ('delete-all');
INSERT INTO files_text (rowid, name, metadata)
  SELECT number, original_name,
    coalesce((SELECT group_concat(value, char(10)) FROM file_metadata m WHERE m.file_id = files.id), '')
  FROM files;
REPLACE INTO meta (key, value) VALUES ('search.rebuild', '1'), ('scrub', 'index'), ('clean', '0');
`;

/** Removes rows of users and transcripts that are in neither database. */
const removeOrphans = (to: File, table: string): void => {
  for (const [column, parent] of [
    ['user_id', 'users'],
    ['transcript_id', 'transcripts'],
  ] as const) {
    const children = to.prepare('SELECT "from" FROM pragma_foreign_key_list(?)').pluck().all(table);
    if (!children.includes(column)) continue;
    to.exec(`DELETE FROM ${quoted(table)} WHERE ${column} NOT IN (SELECT id FROM ${parent})`);
  }
};

const salvageAll = (from: File, to: File): Salvage => {
  const here = new Set(tablesOf(to));
  const tables = tablesOf(from).filter((table) => here.has(table) && !TEXTS.has(table));
  const parts = [...tables.map((table) => salvageTable(from, to, table)), salvageTranscripts(from, to)];
  return {
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    incomplete: parts.flatMap(({ incomplete }) => incomplete),
  };
};

/**
 * Puts what can be read of the database `damaged` over the database `target`, a copy of a backup or a new file. Rows that
 * were deleted since the backup are deleted if their table can be read to its end. Without `damaged`, only prepares
 * the target. Throws if nothing can be read.
 */
const salvage = (damaged: string | undefined, target: string): Salvage | undefined => {
  const from =
    damaged === undefined ? undefined : new BetterSqlite3(damaged, { readonly: true, fileMustExist: true });
  const to = new BetterSqlite3(target);
  try {
    to.pragma('secure_delete = ON');
    to.pragma('foreign_keys = OFF');
    migrate(to);
    const inSchema = (column: 'name' | 'sql') =>
      to.prepare(`SELECT ${column} FROM sqlite_schema WHERE type = 'trigger'`).pluck().all().map(String);
    const triggers = inSchema('sql');
    return to.transaction(() => {
      // They would count and derive while rows are replaced.
      for (const name of inSchema('name')) to.exec(`DROP TRIGGER ${quoted(name)}`);
      const result = from === undefined ? undefined : salvageAll(from, to);
      // An intent of the time of the backup could remove the bytes of a file that was complete later.
      if (result?.incomplete.includes('pending_objects') !== false) to.exec('DELETE FROM pending_objects');
      to.exec(DERIVE);
      for (const table of tablesOf(to)) removeOrphans(to, table);
      for (const sql of triggers) to.exec(sql);
      return result;
    })();
  } finally {
    to.close();
    from?.close();
  }
};

/** Whether the database can be used. `missing`: also if the file is empty. */
export type DatabaseState = 'good' | 'damaged' | 'missing';

/** Reads every page of a database that no service has open. */
export const inspectDatabase = (path: string): DatabaseState => {
  if (!existsSync(path) || statSync(path).size === 0) return 'missing';
  try {
    const file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    try {
      if (Number(file.pragma('user_version', { simple: true })) === 0) return 'missing';
      return file.pragma('quick_check(1)', { simple: true }) === 'ok' ? 'good' : 'damaged';
    } finally {
      file.close();
    }
  } catch (error) {
    if (hasCorruptionCode(error)) return 'damaged';
    throw error;
  }
};

export type DatabaseRepair = {
  /** What could be read of the damaged database; undefined if that was nothing. */
  readonly salvaged: Salvage | undefined;
  /** The backup that the rest is from. */
  readonly backup: Backup | undefined;
  /** What was added to the name of the damaged file, which stays; undefined if there was none. */
  readonly aside: string | undefined;
};

const removeFile = (path: string): void => {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true });
};

/** Copies the newest backup that is intact to `target`. */
const copyBackup = (backups: readonly Backup[], target: string): Backup | undefined => {
  for (const backup of backups) {
    removeFile(target);
    copyFileSync(backup.path, target);
    chmodSync(target, 0o600);
    if (inspectDatabase(target) === 'good') return backup;
  }
  removeFile(target);
  closeSync(openSync(target, 'wx', 0o600));
  return undefined;
};

const trySalvage = (path: string, target: string): Salvage | undefined => {
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  try {
    const result = salvage(path, target);
    return result !== undefined && result.rows > 0 ? result : undefined;
  } catch {
    // Not even its schema can be read: the transaction left the target as it was.
    return undefined;
  }
};

/**
 * Replaces a damaged or missing database by what can be read of it, over the newest intact backup if there is one. The
 * damaged file is kept under another name.
 */
export const repairDatabase = (path: string, backups: readonly Backup[], now: number): DatabaseRepair => {
  const target = `${path}.repaired`;
  const backup = copyBackup(backups, target);
  const salvaged = trySalvage(path, target);
  if (salvaged === undefined) salvage(undefined, target);
  if (inspectDatabase(target) !== 'good') throw new Error('The repaired database is damaged as well.');
  for (const end of ['-journal', '-wal', '-shm']) rmSync(target + end, { force: true });
  const handle = openSync(target, 'r+');
  fsyncSync(handle);
  closeSync(handle);
  const aside = existsSync(path) ? setAside(path, now) : undefined;
  renameSync(target, path);
  return { salvaged, backup, aside };
};
