import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** File systems of the kernel, which keep no files. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

/** Whether `path` is `folder` or below it. Both are real paths. */
const isWithin = (path: string, folder: string): boolean => {
  const rest = relative(folder, path);
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
};

/** The path without symbolic links; what does not exist yet stays as it is. */
const realPath = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
};

/** Whether the path, or the nearest folder above it that exists, is a folder. */
const canBeFolder = (path: string): boolean => {
  const info = statSync(path, { throwIfNoEntry: false });
  return info === undefined ? canBeFolder(dirname(path)) : info.isDirectory();
};

const whyUnusable = (path: string, dataDir: string): string | undefined => {
  if (path.includes('\0')) return 'its path contains NUL';
  if (!isAbsolute(path)) return 'it needs a full path, such as /mnt/backup (~ is not expanded)';
  const real = realPath(path);
  if (isWithin(real, realPath(dataDir))) return 'it lies inside the data folder';
  if (process.platform !== 'win32' && KERNEL_FOLDERS.some((folder) => isWithin(real, folder))) {
    return 'it lies in a folder of the system that keeps no files';
  }
  try {
    if (!canBeFolder(real)) return 'there is a file in its place';
  } catch {
    return 'it cannot be reached';
  }
  return undefined;
};

export type CheckedMirrors = {
  readonly usable: readonly string[];
  /** Numbered from 1. */
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
};

/** Sorts out mirrors that cannot keep a copy. A folder that does not exist yet is usable: its disk may come back. */
export const checkMirrors = (mirrors: readonly string[], dataDir: string): CheckedMirrors => {
  const known = new Set<string>();
  const usable: string[] = [];
  const refused: { number: number; reason: string }[] = [];
  for (const [index, path] of mirrors.entries()) {
    const real = realPath(path);
    const reason =
      whyUnusable(path, dataDir) ?? (known.has(real) ? 'it is the same as an earlier one' : undefined);
    known.add(real);
    if (reason === undefined) usable.push(path);
    else refused.push({ number: index + 1, reason });
  }
  return { usable, refused };
};
