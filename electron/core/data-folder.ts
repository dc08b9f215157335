import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, systemCode } from './base/errors.ts';
import type { DataPaths } from './base/paths.ts';
import { readServerFile } from './base/server-file.ts';

/** Removes the rights of the system's other users, except through a link: what it leads to may be shared on purpose. */
const restrict = (path: string, mode: 0o600 | 0o700): void => {
  if (process.platform === 'win32') return;
  try {
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, mode);
  } catch {
    // Best effort: some file systems have no modes, and some files another owner.
  }
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Creates a folder and those above it, not with `recursive`, which never returns for a folder in Linux's `/proc`. */
export const createFolder = (folder: string): void => {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    // Another process may have created it since.
    if (code === 'EEXIST' && isFolder(folder)) return;
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new AppError(
        'conflict',
        `There is a file where the folder ${basename(folder)} should be. Move it away, or choose another folder with --data-dir.`,
        { cause: error },
      );
    }
    throw error;
  }
};

/**
 * Creates the data folders, accessible only to the current user of the system. A data folder that exists keeps its mode,
 * because it may hold other things, too; folders and files in it are restricted.
 */
export const prepareFolders = ({ root, ...paths }: DataPaths): void => {
  createFolder(root);
  const { objects, temporary, models, transcripts, logs, backups } = paths;
  for (const folder of [objects, temporary, models, transcripts, logs, backups]) {
    createFolder(folder);
    restrict(folder, 0o700);
  }
};

const OWN_FILES = /^(earshot\.(db|lock|reserve)|secret|local-key|server\.json)/;

/** Makes the files directly in the data folder, the logs and the backups accessible only to the current user of the system. */
export const restrictFiles = ({ root, logs, backups }: DataPaths): void => {
  for (const name of readdirSync(root).filter((name) => OWN_FILES.test(name))) {
    restrict(join(root, name), 0o600);
  }
  for (const folder of [logs, backups]) {
    for (const name of readdirSync(folder)) restrict(join(folder, name), 0o600);
  }
};

const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'];

/** Runs a step of the start; a folder that cannot be written is explained in a sentence. */
export const explainUnwritable = <T>(step: () => T): T => {
  try {
    return step();
  } catch (error) {
    if (!UNWRITABLE.some((code) => systemCode(error)?.startsWith(code))) throw error;
    throw new AppError(
      'conflict',
      'The data folder cannot be written. Check its permissions, or choose another folder with --data-dir.',
      { cause: error },
    );
  }
};

/** The folders in `folder` by whose two hexadecimal digits objects are spread. */
const spreadFolders = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /^[0-9a-f]{2}$/.test(name))
        .map((name) => join(folder, name))
    : [];

const isFilled = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;

/** Whether the data folder holds stored files, audio of transcripts, or backups. */
export const hasLibraryFiles = (paths: DataPaths): boolean =>
  isFilled(paths.transcripts) ||
  isFilled(paths.backups) ||
  spreadFolders(paths.objects).some((outer) =>
    spreadFolders(outer).some((inner) => readdirSync(inner).length > 0),
  );

/** Describes the process that wrote the server file; empty if it is missing or damaged. */
export const describeOwner = (paths: DataPaths): string => {
  const server = readServerFile(paths);
  return server === undefined ? '' : ` (process ${server.pid}, ${server.url})`;
};

/** Removes the entries of a folder that nothing owns, which an earlier run left behind. */
export const sweep = async (folder: string, isOwned: (name: string) => boolean): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!isOwned(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
};
