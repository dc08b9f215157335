// One set-up at a time in one folder: a file that names its owner's process.

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
const UNWRITTEN_MS = 10_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A lock whose owner is gone, or which nobody has signed for ten seconds. */
function isAbandoned(path) {
  try {
    const owner = Number(readFileSync(path, 'utf8'));
    return owner ? !isAlive(owner) : Date.now() - statSync(path).mtimeMs > UNWRITTEN_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function tryLock(path) {
  try {
    const handle = openSync(path, 'wx');
    writeFileSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Runs `work` while holding the lock file, waiting for another holder first.
 *
 * @param {string} path
 * @param {() => void} onWait called once if there is someone to wait for
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    if (isAbandoned(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) onWait();
    told = true;
    await sleep(POLL_MS);
  }
  const unlock = () => rmSync(path, { force: true });
  process.once('exit', unlock);
  try {
    return await work();
  } finally {
    unlock();
    process.removeListener('exit', unlock);
  }
}
