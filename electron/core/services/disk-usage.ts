import type { Dirent } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DISK_PARTS, type DiskUsage } from '../../contract/system.ts';
import { systemCode } from '../base/errors.ts';
import type { DataPaths } from '../base/paths.ts';

type Part = (typeof DISK_PARTS)[number];

/** The service removes files while they are counted. */
const unlessGone = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await asked;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return otherwise;
    throw error;
  }
};

const sizeOf = async (path: string, entry: Pick<Dirent, 'isDirectory'>): Promise<number> => {
  if (!entry.isDirectory())
    return unlessGone<number>(
      lstat(path).then(({ size }) => size),
      0,
    );
  const entries = await unlessGone(readdir(path, { withFileTypes: true }), []);
  let bytes = 0;
  // One after the other, so that a folder of 100,000 files holds up nobody.
  for (const each of entries) bytes += await sizeOf(join(path, each.name), each);
  return bytes;
};

/** Measures the parts of the data folder, largest first; links are not followed. */
export const measureDisk = async (paths: DataPaths): Promise<DiskUsage['data']> => {
  const folders: Readonly<Record<string, Part>> = {
    [basename(paths.objects)]: 'files',
    [basename(paths.transcripts)]: 'transcripts',
    [basename(paths.models)]: 'models',
    [basename(paths.backups)]: 'backups',
    [basename(paths.logs)]: 'logs',
    [basename(paths.temporary)]: 'temporary',
    [basename(paths.reserve)]: 'reserve',
  };
  // The database with its log beside it.
  const partOf = (name: string): Part =>
    name.startsWith(basename(paths.database)) ? 'database' : (folders[name] ?? 'other');
  const sizes = new Map<Part, number>(DISK_PARTS.map((part) => [part, 0]));
  for (const entry of await readdir(paths.root, { withFileTypes: true })) {
    const part = partOf(entry.name);
    sizes.set(part, (sizes.get(part) ?? 0) + (await sizeOf(join(paths.root, entry.name), entry)));
  }
  const parts = [...sizes].map(([part, bytes]) => ({ part, bytes })).sort((a, b) => b.bytes - a.bytes);
  const disk = await statfs(paths.root);
  return {
    data_dir: paths.root,
    total: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    free: disk.bavail * disk.bsize,
    parts,
  };
};
