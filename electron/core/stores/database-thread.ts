import { closeSync, fsyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { hasCorruptionCode, messageOf, systemCode } from '../base/errors.ts';
import type { DatabaseTask, TaskResult } from './run-database-task.ts';

/** 1 MiB of pages of 4 KiB: a few milliseconds of reading. */
const PAGES_PER_STEP = 256;

const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** Leaves disk and processor to others for as long as the last step took. This thread has nothing else to do meanwhile. */
const createPause = (isThrottled: boolean): (() => void) => {
  let since = performance.now();
  return () => {
    if (isThrottled) Atomics.wait(sleeping, 0, 0, Math.min(200, performance.now() - since));
    since = performance.now();
  };
};

const readMeta = (file: BetterSqlite3.Database, key: string): string | undefined => {
  const value: unknown = file.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(key);
  return typeof value === 'string' ? value : undefined;
};

const open = (path: string) => new BetterSqlite3(path, { readonly: true, fileMustExist: true });

const flush = (path: string): void => {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
};

/** Copies one state of the database, and checks the copy. */
const copy = async (source: string, target: string, isThrottled: boolean): Promise<TaskResult> => {
  closeSync(openSync(target, 'wx', 0o600));
  const from = open(source);
  try {
    // The open transaction makes all steps read one state: otherwise every write by the server would begin the copy anew.
    from.exec('BEGIN');
    if (readMeta(from, 'scrub') !== undefined) return { state: 'unscrubbed' };
    const pause = createPause(isThrottled);
    await from.backup(target, {
      progress: () => {
        pause();
        return PAGES_PER_STEP;
      },
    });
  } finally {
    from.close();
  }
  const to = new BetterSqlite3(target);
  try {
    // A backup is one file, without a write-ahead log.
    to.pragma('journal_mode = DELETE');
    if (to.pragma('quick_check(1)', { simple: true }) !== 'ok') return { state: 'damaged' };
    return { state: 'good', erasures: Number(readMeta(to, 'erasures')) };
  } finally {
    to.close();
    flush(target);
  }
};

/** Checks the database: if it is throttled, table by table, so that no transaction stays open for long. */
const check = (source: string, isThrottled: boolean): TaskResult => {
  const file = open(source);
  try {
    if (!isThrottled && file.pragma('quick_check(1)', { simple: true }) !== 'ok') return { state: 'damaged' };
    const pause = createPause(isThrottled);
    const names = file
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .pluck()
      .all();
    for (const name of isThrottled ? names : []) {
      if (file.pragma(`quick_check('${name}')`, { simple: true }) !== 'ok') return { state: 'damaged' };
      pause();
    }
    return { state: 'good', erasures: Number(readMeta(file, 'erasures')) };
  } finally {
    file.close();
  }
};

const run = async (task: DatabaseTask): Promise<TaskResult> => {
  try {
    return task.target === undefined
      ? check(task.source, task.isThrottled)
      : await copy(task.source, task.target, task.isThrottled);
  } catch (error) {
    if (hasCorruptionCode(error)) return { state: 'damaged' };
    return { state: 'failed', code: systemCode(error), reason: messageOf(error) };
  }
};

if (parentPort !== null) parentPort.postMessage(await run(workerData));
