// Where things are: the project, its packages, and the folders outside the tree that can be made again.

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
export const modules = join(root, 'node_modules');

function platformCache() {
  const { EARSHOT_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (EARSHOT_CACHE_DIR) return EARSHOT_CACHE_DIR;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'earshot');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'earshot');
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? homedir(), 'earshot', 'cache');
  return join(homedir(), '.cache', 'earshot');
}

/** True when the folder is there, or could be made, and can be written. */
export function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The cache folder, made if need be. Accounts without a home (service users) get one among the temporary files;
 * EARSHOT_CACHE_DIR then tells everything started from here about it.
 */
export function cacheDir() {
  const wanted = platformCache();
  if (isWritable(wanted)) return wanted;
  const fallback = join(tmpdir(), `earshot-cache-${userInfo().username}`);
  mkdirSync(fallback, { recursive: true, mode: 0o700 });
  process.env.EARSHOT_CACHE_DIR = fallback;
  return fallback;
}

/** The first of these programs that is on the PATH, as a whole path. */
export function onPath(...names) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      for (const suffix of suffixes) {
        const path = join(folder, name + suffix);
        if (folder && isFile(path)) return path;
      }
    }
  }
  return undefined;
}

/** True for an existing file (links are followed). */
export function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}
