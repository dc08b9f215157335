// `npm start` and `npm run dev`: the window in Electron, or in the browser if Electron cannot run.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, isFile, isWritable, modules, root } from './places.mjs';
import { printLine, runEarshot, runHelper, runProgram, SetupError, step } from './processes.mjs';

const DOWNLOAD_LIMIT_MS = 240_000;
const RETRY_DOWNLOAD_MS = 3_600_000;
/** An exit this early with 126 or 127 means a missing shared library or display. */
const FAILED_START_MS = 5_000;

const electronBinary = () => {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(modules, 'electron', 'dist');
  const pathFile = join(modules, 'electron', 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : 'electron';
  const binary = join(folder, name);
  return isFile(binary) ? binary : undefined;
};

const hasScreen = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** Chromium refuses to run its sandbox as root, which only containers do with a desktop program. */
const sandboxOptions = () =>
  process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Downloads Electron with its own installer. A failed download is retried after an hour at the earliest. */
const downloadElectron = async (node) => {
  const failed = join(cacheDir(), 'electron-download-failed');
  const last = statSync(failed, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - last < RETRY_DOWNLOAD_MS) return;
  if (!isWritable(join(modules, 'electron'))) return;
  try {
    await step('electron', 'downloading the native window', () =>
      runHelper(node, [join(modules, 'electron', 'install.js')], {
        name: 'electron',
        failure: 'Electron could not be downloaded',
        timeoutMs: DOWNLOAD_LIMIT_MS,
      }),
    );
    rmSync(failed, { force: true });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    writeFileSync(failed, error.message);
  }
};

const openInBrowser = async (node, args, reason) => {
  printLine(
    `The native window is not available here (${reason}); opening Earshot in a browser window instead.`,
  );
  const main = join(root, 'electron', 'cli', 'main.ts');
  return (await runEarshot(node, main, ['open', ...args])).code;
};

/**
 * Opens the window and waits until it closes.
 * @param {string} node the Node for the command line
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export const start = async (node, args) => {
  if (!hasScreen()) return openInBrowser(node, args, 'there is no screen');
  if (!electronBinary()) await downloadElectron(node);
  const binary = electronBinary();
  if (!binary) return openInBrowser(node, args, 'Electron could not be downloaded');
  if (!isFile(join(root, 'out', 'main', 'index.js'))) return openInBrowser(node, args, 'it is not built');
  const { code, ranMs } = await runProgram(binary, [...sandboxOptions(), root, ...args]);
  const hasFailedToStart = (code === 127 || code === 126) && ranMs < FAILED_START_MS;
  return hasFailedToStart ? openInBrowser(node, args, 'Electron could not start') : code;
};

/**
 * Runs the service and the window from their sources, both reloading on changes: in Electron if its binary and a
 * screen exist and no arguments are given, else as a server and a page for the browser. Uses a data folder of its own
 * inside .earshot/, unless the environment says otherwise.
 * @param {string} node
 * @param {string[]} args options of `earshot serve`
 * @returns {Promise<number>} the exit code
 */
export const develop = async (node, args) => {
  process.env.EARSHOT_DATA_DIR ??= join(root, '.earshot', 'dev');
  const inElectron = hasScreen() && electronBinary() !== undefined && args.length === 0;
  const programArgs = inElectron
    ? [
        join(modules, 'electron-vite', 'bin', 'electron-vite.js'),
        'dev',
        '--watch',
        ...(sandboxOptions().length > 0 ? ['--noSandbox'] : []),
      ]
    : [join(root, 'electron', 'cli', 'bootstrap', 'dev.mjs'), ...args];
  return (await runProgram(node, programArgs)).code;
};
