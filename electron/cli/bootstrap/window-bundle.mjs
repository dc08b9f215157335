// The bundled window (out/): built when what it is made of has changed.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { isFile, modules, root } from './places.mjs';
import { runHelper } from './processes.mjs';
import { say, step } from './progress.mjs';

const SOURCES = ['renderer', 'electron', 'electron.vite.config.ts', 'package-lock.json'];
const stampFile = join(root, 'out', '.stamp');
const page = join(root, 'out', 'renderer', 'index.html');

function* files(path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return;
  if (!info.isDirectory()) {
    yield `${path}:${info.size}:${info.mtimeMs}`;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* files(join(path, name));
}

/** Names the state of the sources by their paths, sizes and times: a few milliseconds for hundreds of files. */
function sourcesKey() {
  const hash = createHash('sha256');
  for (const source of SOURCES) for (const line of files(join(root, source))) hash.update(line);
  return hash.digest('hex');
}

function isFresh(key) {
  return isFile(page) && isFile(stampFile) && readFileSync(stampFile, 'utf8') === key;
}

/**
 * Builds the window, main process and preload script unless they are fresh. Nothing to do where there is no window.
 * @param {string} node the Node that runs the build
 */
export async function ensureWindowBundle(node) {
  if (!isFile(join(root, 'renderer', 'index.html')) || !isFile(join(root, 'electron.vite.config.ts'))) return;
  const key = sourcesKey();
  if (isFresh(key)) return;
  const waiting = () => say('· window     waiting for another set-up that is building it …');
  await withLock(join(root, '.earshot', 'window.lock'), waiting, async () => {
    if (isFresh(key)) return;
    await step('window', 'building the window', () =>
      runHelper(node, [join(modules, 'electron-vite', 'bin', 'electron-vite.js'), 'build'], {
        name: 'window',
        failure: 'The window could not be built',
      }),
    );
    mkdirSync(join(root, 'out'), { recursive: true });
    writeFileSync(stampFile, key);
  });
}
