import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

/** A copy of the database. Its name tells when it was made: `earshot-20261122T113000Z.db`. */
export type Backup = {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Bytes. */
  readonly size: number;
  /** How often something had been erased when it was made; see `erasuresOf`. */
  readonly erasures: number;
};

const NAME = /^earshot-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const UNFINISHED = 'unfinished.db';

const nameFor = (madeAt: number): string =>
  `earshot-${new Date(madeAt).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.db`;

const timeOf = (name: string): number | undefined => {
  const [, year, month, ...rest] = (NAME.exec(name) ?? []).map(Number);
  if (year === undefined || month === undefined) return undefined;
  const [day, hour, minute, second] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
};

/** NaN, which equals no number, if the file cannot be read: the backup is then replaced. */
const readErasures = (path: string): number => {
  try {
    const file = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    try {
      return Number(file.prepare("SELECT value FROM meta WHERE key = 'erasures'").pluck().get());
    } finally {
      file.close();
    }
  } catch {
    return Number.NaN;
  }
};

const flushFolder = (path: string): void => {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
};

/** The folder with the backups of the database. */
export class BackupFolder {
  readonly #root: string;
  /** Numbers of erasures by file name: a backup never changes. */
  readonly #erasures = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Where a copy is written before `keep`. Removes the rest of an interrupted one. */
  unfinished(): string {
    const path = join(this.#root, UNFINISHED);
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true });
    return path;
  }

  /** Newest first. */
  list(): Backup[] {
    return readdirSync(this.#root)
      .flatMap((name) => {
        const madeAt = timeOf(name);
        return madeAt === undefined ? [] : [this.#describe(name, madeAt)];
      })
      .toSorted((a, b) => b.madeAt - a.madeAt);
  }

  /** Makes the finished copy a backup, durably. */
  keep(madeAt: number): Backup {
    const name = nameFor(madeAt);
    this.#erasures.delete(name);
    renameSync(join(this.#root, UNFINISHED), join(this.#root, name));
    flushFolder(this.#root);
    return this.#describe(name, Math.floor(madeAt / 1000) * 1000);
  }

  remove(backup: Backup): void {
    rmSync(backup.path, { force: true });
    flushFolder(this.#root);
  }

  #describe(name: string, madeAt: number): Backup {
    const path = join(this.#root, name);
    const erasures = this.#erasures.get(name) ?? readErasures(path);
    this.#erasures.set(name, erasures);
    return { path, madeAt, size: statSync(path).size, erasures };
  }
}
