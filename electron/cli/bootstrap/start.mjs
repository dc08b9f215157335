// `npm start`: the native window, or the same window in the browser where Electron cannot run.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './errors.mjs';
import { cacheDir, isFile, isWritable, modules, root } from './places.mjs';
import { runHelper, runProgram } from './processes.mjs';
import { say, step } from './progress.mjs';

const DOWNLOAD_LIMIT_MS = 240_000;
const TRY_AGAIN_MS = 3_600_000;
/** What a missing shared library or a missing display gives, soon after the start. */
const FAILED_START_MS = 5_000;

function electronBinary() {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(modules, 'electron', 'dist');
  const pathFile = join(modules, 'electron', 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : 'electron';
  const binary = join(folder, name);
  return isFile(binary) ? binary : undefined;
}

function hasScreen() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Fetches Electron's binary with its own installer. A failed try is not repeated within the hour. */
async function downloadElectron(node) {
  const failed = join(cacheDir(), 'electron-download-failed');
  const last = statSync(failed, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - last < TRY_AGAIN_MS) return false;
  if (!isWritable(join(modules, 'electron'))) return false;
  try {
    await step('electron', 'downloading the native window', () =>
      runHelper(node, [join(modules, 'electron', 'install.js')], {
        name: 'electron',
        failure: 'Electron could not be downloaded',
        timeoutMs: DOWNLOAD_LIMIT_MS,
      }),
    );
    rmSync(failed, { force: true });
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    writeFileSync(failed, error.message);
    return false;
  }
}

async function inBrowser(node, args, reason) {
  say(`The native window is not available here (${reason}); opening Earshot in the browser instead.`);
  const main = join(root, 'electron', 'cli', 'main.ts');
  return (await runProgram(node, [main, 'serve', '--open', ...args])).code;
}

/**
 * Opens the window and waits for its end.
 * @param {string} node the Node for the command line
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function start(node, args) {
  if (!hasScreen()) return inBrowser(node, args, 'there is no screen');
  if (!electronBinary()) await downloadElectron(node);
  const binary = electronBinary();
  if (!binary) return inBrowser(node, args, 'Electron could not be downloaded');
  if (!isFile(join(root, 'out', 'main', 'index.js'))) return inBrowser(node, args, 'it is not built');
  // Chromium refuses to run its sandbox as root; only containers start a desktop program that way.
  const sandbox = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const { code, ranMs } = await runProgram(binary, [...sandbox, root, ...args]);
  const failedStart = (code === 127 || code === 126) && ranMs < FAILED_START_MS;
  return failedStart ? inBrowser(node, args, 'Electron could not start') : code;
}
