import BetterSqlite3 from 'better-sqlite3';
import { AppError, FolderTakenError } from '../base/errors.ts';

export type FolderLock = { release(): void };

/**
 * Locks the data folder for this process with SQLite's file lock, which every platform releases when the process ends,
 * even by a crash. Throws `conflict`, with what `ownerOf` says about the owner, while another process holds it.
 */
export const lockFolder = (path: string, ownerOf: () => string): FolderLock => {
  const file = new BetterSqlite3(path, { timeout: 0 });
  try {
    file.pragma('journal_mode = DELETE');
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) {
      throw new FolderTakenError(
        `Another Earshot is using this data folder${ownerOf()}. Use that one, stop it, or choose another folder with --data-dir.`,
      );
    }
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB') {
      throw new AppError(
        'conflict',
        'The lock file earshot.lock in the data folder is damaged. Delete it while no Earshot runs, then start again.',
        { cause: error },
      );
    }
    throw error;
  }
  return { release: () => file.close() };
};
