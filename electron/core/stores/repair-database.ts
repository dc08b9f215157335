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
import { type Salvage, salvage } from './salvage.ts';

/** Whether the database can be used. `missing`: also where the file is empty. */
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
  /** What could be read of the damaged database; undefined where that was nothing. */
  readonly salvaged: Salvage | undefined;
  /** The backup that the rest is from. */
  readonly backup: Backup | undefined;
  /** What was added to the name of the damaged file, which stays; undefined where there was none. */
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
