import type { Clock } from '../core/base/clock.ts';
import { FolderTakenError } from '../core/base/errors.ts';
import type { DataPaths } from '../core/base/paths.ts';
import { readServerFile, TAKEN_RETRY_MS, TAKEN_TIMEOUT_MS } from '../core/base/server-file.ts';

/**
 * Calls `start` until the data folder is free, for up to 30 s: a command's service ends with its command, and another may be
 * starting or ending. Throws at once beside a service that stays, and for every other error.
 */
export const startWhenFree = async <T>(
  start: () => Promise<T>,
  paths: DataPaths,
  clock: Clock,
): Promise<T> => {
  const end = clock.monotonic() + TAKEN_TIMEOUT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const mayEnd = error instanceof FolderTakenError && readServerFile(paths)?.temporary !== false;
      if (!mayEnd || clock.monotonic() >= end) throw error;
      await new Promise<void>((resolve) => clock.schedule(TAKEN_RETRY_MS, resolve));
    }
  }
};
