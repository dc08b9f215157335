import { existsSync } from 'node:fs';
import { systemClock } from './base/clock.ts';
import { AppError } from './base/errors.ts';
import { silentLogger } from './base/logger.ts';
import { dataPaths } from './base/paths.ts';
import { hasLibraryFiles } from './data-folder.ts';
import { installationSecret } from './secrets.ts';
import { AccountService } from './services/accounts.ts';
import { EventHub } from './services/events.ts';
import { createFiles } from './services/files/create.ts';
import { relinkObjects } from './services/files/relink.ts';
import { exportStorage, type ImportReport, importStorage } from './services/files/transfer.ts';
import { type Progress, type VerifyReport, verifyStorage } from './services/files/verify.ts';
import { SettingsService } from './services/settings.ts';
import { type Database, openDatabase } from './stores/database.ts';
import { lockFolder } from './stores/lock.ts';

export type { Progress, VerifyReport };

/** Maintenance of the stored files. */
export type OfflineStorage = {
  verify(options: { removeUnknown: boolean; onProgress: Progress }): Promise<VerifyReport>;
  /** Accepts the folders of replaced disks as mirrors; returns their paths. */
  adoptMirrors(): Promise<string[]>;
  exportTo(folder: string, onProgress: Progress): Promise<{ files: number; bytes: number }>;
  /** Makes files of objects that no file knows; returns their number. */
  relink(): Promise<number>;
  importFrom(
    folder: string,
    options: { user?: string | undefined; onProgress: Progress },
  ): Promise<ImportReport>;
  close(): Promise<void>;
};

/**
 * Opens the storage of a data folder without a server, for maintenance from the command line. Throws `conflict` while
 * another process uses the folder, `invalid_request` where there is none.
 */
export const openStorage = async (
  dataDir: string,
  environment: NodeJS.ProcessEnv,
): Promise<OfflineStorage> => {
  const paths = dataPaths(dataDir);
  if (!existsSync(paths.database)) {
    throw new AppError(
      'invalid_request',
      'There is no Earshot data in this folder. Name it with --data-dir.',
    );
  }
  const lock = lockFolder(paths.lockFile, () => '');
  let db: Database;
  try {
    db = openDatabase(paths.database, {
      logger: silentLogger,
      now: systemClock.now,
      hasLibraryFiles: () => hasLibraryFiles(paths),
    });
  } catch (error) {
    lock.release();
    throw error;
  }
  const files = createFiles({
    db,
    paths,
    settings: new SettingsService(db, {}),
    clock: systemClock,
    logger: silentLogger,
    events: new EventHub(),
    secret: installationSecret(paths),
    baseUrl: () => '',
    environment,
    onSourceDeleted() {},
  });
  await files.open();
  return {
    verify: (options) => verifyStorage(files, options),
    adoptMirrors: () => files.store.adoptMirrors(),
    exportTo: (folder, onProgress) => exportStorage(files, folder, onProgress),
    relink: () => relinkObjects(files, new AccountService(db, systemClock, undefined).owner().id),
    importFrom: (folder, options) => importStorage(files, folder, options),
    close: async () => {
      await files.close();
      db.close();
      lock.release();
    },
  };
};
