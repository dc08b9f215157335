import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../base/errors.ts';

export type FolderLock = { release(): void };

/**
 * Takes the data folder for this process. SQLite's own file lock is used, so that it ends with the process
 * on every platform, however that ends. Throws `conflict` when another process has it; `ownerOf` names it.
 */
export const lockFolder = (path: string, ownerOf: () => string): FolderLock => {
  const file = new BetterSqlite3(path, { timeout: 0 });
  try {
    file.pragma('journal_mode = DELETE');
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) {
      throw new AppError(
        'conflict',
        `Another Earshot is using this data folder${ownerOf()}. Use that one, stop it, or choose another folder with --data-dir.`,
      );
    }
    throw error;
  }
  return { release: () => file.close() };
};
