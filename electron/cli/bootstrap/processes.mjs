// Child processes of two kinds: set-up helpers (quiet, logged, stopped with everything they started), and the program
// itself (which gets the terminal, and whose ending is ours).

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { SetupError } from './errors.mjs';
import { cacheDir, root } from './places.mjs';
import { say } from './progress.mjs';

const TAIL_LINES = 30;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const SAME_SIGNAL_MS = 1000;
const PARENT_CHECK_MS = 500;

/** @type {Set<import('node:child_process').ChildProcess>} */
const helpers = new Set();

/** The exit code that shells use for a process which a signal ended. */
function codeOfSignal(signal) {
  return 128 + (constants.signals[signal] ?? 15);
}

/** Stops a helper together with what it started: on POSIX each helper leads a process group of its own. */
function stopHelper(child) {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    return;
  }
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** During the set-up a signal stops the helpers and ends this process with 128 + its number. */
function onSetupSignal(signal) {
  for (const child of helpers) stopHelper(child);
  say('');
  say('Stopped. Run the same command again to go on from here.');
  process.exit(codeOfSignal(signal));
}

/**
 * npm passes a signal on to its shell, which ends without telling us: when the shell of an npm script is gone, so is
 * whoever wanted the program.
 */
function whenNpmIsGone(act) {
  const parent = process.ppid;
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return undefined;
  return setInterval(() => {
    if (process.ppid !== parent) act();
  }, PARENT_CHECK_MS).unref();
}

/** @type {NodeJS.Timeout | undefined} */
let setupWatch;

/** Makes Ctrl-C in the set-up stop everything that the set-up started. */
export function guardSetup() {
  for (const signal of SIGNALS) process.on(signal, onSetupSignal);
  setupWatch = whenNpmIsGone(() => onSetupSignal('SIGTERM'));
}

/** A helper that failed: its message ends with the last lines of its output; `output` is all of it. */
export class HelperError extends SetupError {
  constructor(failure, logFile) {
    const output = readFileSync(logFile, 'utf8');
    const lines = output.trimEnd().split('\n').slice(-TAIL_LINES);
    super([`${failure}.`, ...lines.map((line) => `  ${line}`), `The whole log: ${logFile}`].join('\n'));
    this.output = output;
  }
}

/**
 * Runs a set-up helper quietly. Its output goes into a log, shown only if it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ name: string, failure: string, env?: NodeJS.ProcessEnv, timeoutMs?: number,
 *   onLine?: (line: string) => void }} options `failure`: the sentence for when it fails
 * @returns {Promise<void>}
 */
export function runHelper(command, args, { name, failure, env = process.env, timeoutMs, onLine }) {
  const logs = join(cacheDir(), 'logs');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, `${name}.log`);
  const log = openSync(logFile, 'w');
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      shell: command.endsWith('.cmd'),
      windowsHide: true,
    });
    helpers.add(child);
    let timedOut = false;
    const timer = timeoutMs
      ? setTimeout(() => {
          timedOut = true;
          stopHelper(child);
        }, timeoutMs)
      : undefined;
    const read = (chunk) => {
      writeSync(log, chunk);
      for (const line of onLine ? String(chunk).split('\n') : []) if (line.trim()) onLine?.(line);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const end = (reason) => {
      clearTimeout(timer);
      helpers.delete(child);
      closeSync(log);
      if (!reason) resolve();
      else reject(new HelperError(`${failure} (${reason})`, logFile));
    };
    let over = false;
    child.once('error', (error) => {
      over = true;
      end(error.message);
    });
    child.once('close', (code, signal) => {
      if (over) return;
      if (timedOut) end(`no end after ${Math.round((timeoutMs ?? 0) / 1000)} s`);
      else end(code === 0 ? undefined : (signal ?? `exit code ${code}`));
    });
  });
}

/** Node keeps compiled code in the cache folder, which saves most of the time that the next start takes. */
const withCodeCache = () => ({ NODE_COMPILE_CACHE: join(cacheDir(), 'code'), ...process.env });

/**
 * Hands the terminal to a program and waits for its end.
 *
 * A terminal sends Ctrl-C to the program itself; without a terminal only this process hears the signal, and passes it
 * on once, however many of npm, the shell and the caller sent it.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ code: number, ranMs: number }>} the exit code, 128 + the signal's number where a signal ended it
 */
export function runProgram(command, args, env = withCodeCache()) {
  const started = Date.now();
  for (const signal of SIGNALS) process.removeListener(signal, onSetupSignal);
  clearInterval(setupWatch);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: process.cwd(), env, stdio: 'inherit' });
    const terminal = process.stdin.isTTY === true || process.stderr.isTTY === true;
    let last = { signal: '', at: 0 };
    const pass = (signal) => {
      const again = last.signal === signal && Date.now() - last.at < SAME_SIGNAL_MS;
      last = { signal, at: Date.now() };
      if (again || (signal === 'SIGINT' && terminal)) return;
      child.kill(signal);
    };
    const watch = whenNpmIsGone(() => pass('SIGTERM'));
    const quiet = () => {
      clearInterval(watch);
      for (const signal of SIGNALS) process.removeListener(signal, pass);
    };
    for (const signal of SIGNALS) process.on(signal, pass);
    child.once('error', (error) => {
      quiet();
      reject(new SetupError(`${command} could not be started: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      quiet();
      resolve({ code: signal ? codeOfSignal(signal) : (code ?? 1), ranMs: Date.now() - started });
    });
  });
}
