// Where things are, and one process at a time in them: the project, its packages, the cache outside the tree, and lock
// files. Plain JavaScript for Node 20 without packages; native/build.mjs shares it.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LOCK_POLL_MS = 200;
const UNSIGNED_LOCK_MS = 10_000;

/** The project's root folder. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
export const modules = join(root, 'node_modules');

/**
 * Node's options for the command line. V8 lets its young generation grow to 64 MB during a job, although hardly anything in it
 * survives. 4 MB each way keep a service at work below 150 MB; with 2 MB it pauses longer to collect. The packages'
 * launcher (packages/server/files/earshot) has the same.
 */
export const NODE_OPTIONS = ['--max-semi-space-size=4'];

/**
 * The environment of the command line. Once a chunk of sound (1.9 MB) is freed, glibc raises its threshold for mmap and keeps
 * such chunks in its heap; a fixed threshold gives their memory back: 14 MB less at work. It is above the 512 KB blocks of a
 * download. The launchers have the same; the recognition process does without it.
 */
export const MALLOC_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '1048576' };

/** True for an existing file (follows links). */
export const isFile = (path) => existsSync(path) && statSync(path).isFile();

/** True if the folder exists or can be created, and is writable. */
export const isWritable = (folder) => {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const platformCache = () => {
  const { EARSHOT_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (EARSHOT_CACHE_DIR) return EARSHOT_CACHE_DIR;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'earshot');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'earshot');
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? homedir(), 'earshot', 'cache');
  return join(homedir(), '.cache', 'earshot');
};

/**
 * The folder for everything that can be made again: $EARSHOT_CACHE_DIR, or the platform's cache folder. Creates it.
 * Accounts without a home (service users) get one in the temporary folder, which child processes inherit through
 * EARSHOT_CACHE_DIR.
 */
export const cacheDir = () => {
  const wanted = platformCache();
  if (isWritable(wanted)) return wanted;
  const fallback = join(tmpdir(), `earshot-cache-${userInfo().username}`);
  mkdirSync(fallback, { recursive: true, mode: 0o700 });
  process.env.EARSHOT_CACHE_DIR = fallback;
  return fallback;
};

/** Where Node keeps the compiled code of what it ran. */
export const codeCacheDir = () => join(cacheDir(), 'code');

/** The absolute path of the first of these programs that is on the PATH, or undefined. */
export const onPath = (...names) => {
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
};

/** Whether a process with this id exists. */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Whether the lock's owner has exited, or died between creating the file and writing its id. */
const isAbandoned = (path) => {
  try {
    const owner = Number(readFileSync(path, 'utf8'));
    return owner ? !isAlive(owner) : Date.now() - statSync(path).mtimeMs > UNSIGNED_LOCK_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
};

/** Whether a live process holds the lock. */
export const isLocked = (path) => existsSync(path) && !isAbandoned(path);

const tryLock = (path) => {
  try {
    const handle = openSync(path, 'wx');
    writeFileSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Runs `work` while holding a lock file that contains this process's id. Waits for a live holder and takes over an
 * abandoned lock.
 *
 * @param {string} path
 * @param {() => void} onWait called once if another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export const withLock = async (path, onWait, work) => {
  mkdirSync(dirname(path), { recursive: true });
  let isWaiting = false;
  while (!tryLock(path)) {
    if (isAbandoned(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!isWaiting) onWait();
    isWaiting = true;
    await sleep(LOCK_POLL_MS);
  }
  const unlock = () => rmSync(path, { force: true });
  process.once('exit', unlock);
  try {
    return await work();
  } finally {
    unlock();
    process.removeListener('exit', unlock);
  }
};
