import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataPaths } from './base/paths.ts';

/** Creates the data folders, accessible only to the current user of the system. */
export const prepareFolders = (paths: DataPaths): void => {
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  for (const folder of [paths.objects, paths.temporary, paths.models, paths.transcripts]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
};

/** Describes the process that wrote the server file; empty where there is none. */
export const describeOwner = (paths: DataPaths): string => {
  if (!existsSync(paths.serverFile)) return '';
  const { pid, url }: { pid?: number; url?: string } = JSON.parse(readFileSync(paths.serverFile, 'utf8'));
  return ` (process ${pid}, ${url})`;
};

/** Removes the entries of a folder that nothing owns, which an earlier run left behind. */
export const sweep = async (folder: string, isOwned: (name: string) => boolean): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!isOwned(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
};
