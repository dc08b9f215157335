// What the set-up runs and what it prints: helpers (quiet, logged, stopped with everything they started), the program
// itself (which gets the terminal and decides the exit code), and progress on stderr. stdout belongs to the results.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { cacheDir, codeCacheDir, MALLOC_ENVIRONMENT, NODE_OPTIONS, root } from './places.mjs';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const NAME_WIDTH = 9;
const TAIL_LINES = 30;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const SAME_SIGNAL_MS = 1000;
const PARENT_CHECK_MS = 500;

/** A set-up failure that the user can act on: only its message is printed, without a stack. */
export class SetupError extends Error {
  /**
   * @param {string} message what is wrong and what to do about it
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'SetupError';
    this.exitCode = exitCode;
  }
}

/** "0.4 s", "38 s", "2 min 5 s". */
export const elapsed = (milliseconds) => {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
};

/** Prints a line of set-up output. */
export const printLine = (line) => void process.stderr.write(`${line}\n`);

/**
 * Shows the progress of a step: an animated line on a terminal, else a line at its start and one at its end.
 *
 * @param {string} name short name, such as "packages"
 * @param {string} detail what the step does
 * @param {(note: (text: string) => void) => Promise<T>} work calls `note` with its progress
 * @returns {Promise<T>}
 * @template T
 */
export const step = async (name, detail, work) => {
  const started = Date.now();
  const label = name.padEnd(NAME_WIDTH);
  const isTerminal = process.stderr.isTTY === true;
  let text = detail;
  let frame = 0;
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const line = `${FRAMES[frame]} ${label}  ${text} · ${elapsed(Date.now() - started)}`;
    process.stderr.write(`\r\x1b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  };
  const timer = isTerminal ? setInterval(draw, FRAME_MS) : undefined;
  if (!isTerminal) printLine(`· ${label}  ${detail} …`);
  const note = (line) => {
    text = line.trim();
    if (!isTerminal) printLine(`  ${label}  ${text}`);
  };
  const finish = (mark, ending) => {
    clearInterval(timer);
    printLine(
      `${isTerminal ? '\r\x1b[2K' : ''}${mark} ${label}  ${ending} · ${elapsed(Date.now() - started)}`,
    );
  };
  try {
    const result = await work(note);
    finish('✓', detail);
    return result;
  } catch (error) {
    finish('✗', `${detail}: failed`);
    throw error;
  }
};

/** @type {Set<import('node:child_process').ChildProcess>} */
const helpers = new Set();

/** The exit code that shells give a process ended by a signal. */
const codeOfSignal = (signal) => 128 + (constants.signals[signal] ?? 15);

/** Stops a helper and everything it started: on POSIX each helper leads its own process group. */
const stopHelper = (child) => {
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
};

/** During the set-up, a signal stops the helpers and exits with 128 + its number. */
const onSetupSignal = (signal) => {
  for (const child of helpers) stopHelper(child);
  printLine('');
  printLine('Stopped. Run the same command again to go on from here.');
  process.exit(codeOfSignal(signal));
};

/**
 * Calls `act` once the parent process is gone. npm passes a signal to its shell only, which exits without forwarding
 * it, so under npm this is the only notice of a SIGTERM.
 */
const whenNpmExits = (act) => {
  const parent = process.ppid;
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return undefined;
  return setInterval(() => {
    if (process.ppid !== parent) act();
  }, PARENT_CHECK_MS).unref();
};

/** @type {NodeJS.Timeout | undefined} */
let setupWatch;

/** Makes Ctrl-C during the set-up stop everything that it started. */
export const guardSetup = () => {
  for (const signal of SIGNALS) process.on(signal, onSetupSignal);
  setupWatch = whenNpmExits(() => onSetupSignal('SIGTERM'));
};

/** A failed helper: the message ends with the last lines of its output, `output` is all of it. */
export class HelperError extends SetupError {
  constructor(failure, logFile) {
    const output = readFileSync(logFile, 'utf8');
    const lines = output.trimEnd().split('\n').slice(-TAIL_LINES);
    super([`${failure}.`, ...lines.map((line) => `  ${line}`), `The whole log: ${logFile}`].join('\n'));
    this.output = output;
  }
}

/**
 * Runs a set-up helper quietly. Its output goes to a log file, of which the end is shown if it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ name: string, failure: string, env?: NodeJS.ProcessEnv, timeoutMs?: number,
 *   onLine?: (line: string) => void }} options `name`: of the log file; `failure`: the sentence to print if it fails
 * @returns {Promise<void>}
 */
export const runHelper = (command, args, { name, failure, env = process.env, timeoutMs, onLine }) => {
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
    let hasEnded = false;
    child.once('error', (error) => {
      hasEnded = true;
      end(error.message);
    });
    child.once('close', (code, signal) => {
      if (hasEnded) return;
      if (timedOut) end(`no end after ${Math.round((timeoutMs ?? 0) / 1000)} s`);
      else end(code === 0 ? undefined : (signal ?? `exit code ${code}`));
    });
  });
};

/** Node's compile cache saves most of the time of later starts. */
const withCodeCache = () => ({ NODE_COMPILE_CACHE: codeCacheDir(), ...process.env });

/**
 * Runs a program in the foreground and waits for it to exit.
 *
 * A terminal sends Ctrl-C to the program itself. Without a terminal only this process receives signals; it forwards
 * each once, even if npm, the shell and the caller all sent it.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ code: number, ranMs: number }>} the exit code; 128 + the signal's number if a signal ended it
 */
export const runProgram = (command, args, env = withCodeCache()) => {
  const started = Date.now();
  for (const signal of SIGNALS) process.removeListener(signal, onSetupSignal);
  clearInterval(setupWatch);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: process.cwd(), env, stdio: 'inherit' });
    const hasTerminal = process.stdin.isTTY === true || process.stderr.isTTY === true;
    let last = { signal: '', at: 0 };
    const forward = (signal) => {
      const isRepeated = last.signal === signal && Date.now() - last.at < SAME_SIGNAL_MS;
      last = { signal, at: Date.now() };
      if (isRepeated || (signal === 'SIGINT' && hasTerminal)) return;
      child.kill(signal);
    };
    const watch = whenNpmExits(() => forward('SIGTERM'));
    const unlisten = () => {
      clearInterval(watch);
      for (const signal of SIGNALS) process.removeListener(signal, forward);
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    child.once('error', (error) => {
      unlisten();
      reject(new SetupError(`${command} could not be started: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      unlisten();
      resolve({ code: signal ? codeOfSignal(signal) : (code ?? 1), ranMs: Date.now() - started });
    });
  });
};

/**
 * Runs the command line like `runProgram`.
 *
 * @param {string} node
 * @param {string} entry its source or its bundle
 * @param {string[]} args
 */
export const runEarshot = (node, entry, args) =>
  runProgram(node, [...NODE_OPTIONS, entry, ...args], { ...MALLOC_ENVIRONMENT, ...withCodeCache() });
