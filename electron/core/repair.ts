import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from './base/clock.ts';
import { silentLogger } from './base/logger.ts';
import { type DataPaths, dataPaths } from './base/paths.ts';
import { hasLibraryFiles } from './data-folder.ts';
import { plainSecret } from './secrets.ts';
import { AccountService } from './services/accounts.ts';
import { EventHub } from './services/events.ts';
import { createFiles } from './services/files/create.ts';
import { relinkObjects } from './services/files/verify.ts';
import { SettingsService } from './services/settings.ts';
import { type Backup, BackupFolder } from './stores/backups.ts';
import { openDatabase } from './stores/database.ts';
import { lockFolder } from './stores/lock.ts';
import {
  type DatabaseRepair,
  type DatabaseState,
  inspectDatabase,
  repairDatabase,
} from './stores/repair-database.ts';
import { findTranscript } from './stores/transcripts.ts';

export type Diagnosis = {
  readonly state: DatabaseState;
  /** Newest first. */
  readonly backups: readonly Backup[];
};

export type Repair = DatabaseRepair & {
  /** Stored files that only their bytes were left of; they are in the owner's folder `recovered`. */
  readonly relinked: number;
  /** Folders with audio of transcripts that are lost, moved to `recovered` in the data folder. */
  readonly audio: number;
};

const backupsOf = ({ backups }: DataPaths): Backup[] =>
  existsSync(backups) ? new BackupFolder(backups).list() : [];

/** Runs `work` while no service can use the data folder. Throws `conflict` while one does. */
const withLock = <T>(paths: DataPaths, work: () => T): T => {
  const lock = lockFolder(paths.lockFile, () => '');
  try {
    return work();
  } finally {
    lock.release();
  }
};

/**
 * Checks the database of a data folder that no service uses. Undefined if there is no library yet. Throws `conflict`
 * while a service uses it.
 */
export const diagnose = (dataDir: string): Diagnosis | undefined => {
  const paths = dataPaths(dataDir);
  if (!existsSync(paths.database) && !hasLibraryFiles(paths)) return undefined;
  return withLock(paths, () => ({ state: inspectDatabase(paths.database), backups: backupsOf(paths) }));
};

/** Moves audio of transcripts that are not in the database away: the next start would remove it. */
const keepLostAudio = (paths: DataPaths): number => {
  if (!existsSync(paths.transcripts)) return 0;
  const db = openDatabase(paths.database, { logger: silentLogger, now: systemClock.now });
  const lost = readdirSync(paths.transcripts).filter((id) => findTranscript(db, id) === undefined);
  db.close();
  const folder = join(paths.root, 'recovered');
  if (lost.length > 0) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const id of lost) renameSync(join(paths.transcripts, id), join(folder, id));
  return lost.length;
};

/** Makes files of objects that no file knows; returns their number. */
const relink = async (paths: DataPaths, environment: NodeJS.ProcessEnv): Promise<number> => {
  const lock = lockFolder(paths.lockFile, () => '');
  const db = openDatabase(paths.database, {
    logger: silentLogger,
    now: systemClock.now,
    hasLibraryFiles: () => hasLibraryFiles(paths),
  });
  try {
    const files = createFiles({
      db,
      paths,
      settings: new SettingsService(db, {}),
      clock: systemClock,
      logger: silentLogger,
      events: new EventHub(),
      secret: plainSecret(paths),
      baseUrl: () => '',
      environment,
      onSourceDeleted() {},
    });
    await files.open();
    const count = await relinkObjects(files, new AccountService(db, systemClock, undefined).owner().id);
    await files.close();
    return count;
  } finally {
    db.close();
    lock.release();
  }
};

/**
 * Repairs the database of a data folder that no service uses: from what can be read of it, and the newest intact backup.
 * What then is in no row stays, too: stored files become files again, audio is moved aside.
 */
export const repair = async (dataDir: string, environment: NodeJS.ProcessEnv): Promise<Repair> => {
  const paths = dataPaths(dataDir);
  const { result, audio } = withLock(paths, () => ({
    result: repairDatabase(paths.database, backupsOf(paths), systemClock.now()),
    audio: keepLostAudio(paths),
  }));
  return { ...result, audio, relinked: await relink(paths, environment) };
};
