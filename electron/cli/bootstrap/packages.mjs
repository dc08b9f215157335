// The locked packages: installed when missing or stale, left alone when they are what the lockfile says.

import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SetupError } from './errors.mjs';
import { withLock } from './lock.mjs';
import { cacheDir, isFile, isWritable, modules, onPath, root } from './places.mjs';
import { HelperError, runHelper } from './processes.mjs';
import { say, step } from './progress.mjs';

const stampFile = join(modules, '.earshot-stamp');
const DEPENDENCY_KEYS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'];

function readIf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Names what should be installed: the lockfile, what package.json asks for, and the kind of machine. */
function packagesKey() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const asked = DEPENDENCY_KEYS.map((key) => manifest[key]);
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(JSON.stringify([asked, process.platform, process.arch]))
    .digest('hex');
}

/** True if what npm noted in node_modules (after an install by hand, too) is what the lockfile wants here. */
function matchesLockfile() {
  const noted = readIf(join(modules, '.package-lock.json'));
  if (!noted) return false;
  const installed = JSON.parse(noted).packages ?? {};
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages ?? {};
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    const version = installed[path]?.version;
    const mayBeAbsent = entry.optional || entry.devOptional || entry.peer;
    if (version === undefined && mayBeAbsent) return true;
    return version === entry.version && isFile(join(root, path, 'package.json'));
  });
}

function isLink() {
  return lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** How to call npm: the one that runs this script, else the one beside Node or on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath;
  if (running && /^npm-cli\.c?js$/.test(basename(running)) && isFile(running)) {
    return [process.execPath, running];
  }
  const bundled = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  if (process.platform === 'win32' && isFile(bundled)) return [process.execPath, bundled];
  const found = onPath('npm');
  if (!found) {
    throw new SetupError(
      'npm was not found, and the packages must be installed. Install Node with npm from https://nodejs.org.',
    );
  }
  return [found];
}

/** npm keeps downloads in the home folder; an account without one gets them beside our own cache. */
function npmEnv() {
  if (process.env.npm_config_cache || isWritable(homedir())) return process.env;
  return { ...process.env, npm_config_cache: join(cacheDir(), 'npm') };
}

/**
 * `npm ci`, or where the lockfile lacks optional packages of other platforms (npm writes it so when a registry does not
 * carry them, and then `npm ci` refuses it) `npm install`, which takes the locked versions too and leaves the file alone.
 */
async function install() {
  if (!isWritable(root))
    throw new SetupError(`The packages must be installed, but ${root} cannot be written.`);
  const [command, ...first] = npmCommand();
  rmSync(stampFile, { force: true });
  // Nothing here leans on install scripts. The log level is set because `npm run -s` hands its silence down.
  const options = ['--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const npm = (...verb) =>
    runHelper(command, [...first, ...verb, ...options, '--loglevel=warn', '--progress=false'], {
      name: 'packages',
      env: npmEnv(),
      failure: 'npm could not install the packages',
    });
  try {
    await npm('ci');
  } catch (error) {
    if (!(error instanceof HelperError && /code EUSAGE/.test(error.output))) throw error;
    await npm('install', '--no-save');
  }
  writeFileSync(stampFile, packagesKey());
}

/** Installs the locked packages unless they are there. Costs a few milliseconds when they are. */
export async function ensurePackages() {
  const key = packagesKey();
  if (readIf(stampFile) === key) return;
  if (isLink()) {
    if (!matchesLockfile())
      say('! packages   node_modules is a link and does not match package-lock.json; left as it is');
    return;
  }
  const lockFile = join(root, '.earshot', 'setup.lock');
  if (!isWritable(dirname(lockFile))) {
    if (matchesLockfile()) return;
    throw new SetupError(`The packages must be installed, but ${root} cannot be written.`);
  }
  const waiting = () => say('· packages   waiting for another set-up that is installing them …');
  await withLock(lockFile, waiting, async () => {
    if (readIf(stampFile) === key) return;
    if (matchesLockfile()) writeFileSync(stampFile, key);
    else await step('packages', 'installing the locked npm packages', install);
  });
}
