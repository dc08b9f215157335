// Builds the native speech engine once and keeps it in a cache outside the source tree.
//
//   node native/build.mjs [--cli] [--portable] [--vulkan] [--cuda] [--no-metal]
//
// prints the path of the addon (or of whisper.cpp's own whisper-cli) on stdout; what it is doing goes to stderr.
// Plain JavaScript for Node 20 and later; needs the installed packages, CMake and a C++ compiler.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cacheDir, isAlive, modules, onPath, root, withLock } from '../electron/cli/bootstrap/places.mjs';
import { patchFiles, patchSources } from './patch.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const whisperSources = join(modules, 'nodejs-whisper', 'cpp', 'whisper.cpp');
const patches = join(here, 'patches');
const ADDON = 'earshot_engine.node';
const CLI = process.platform === 'win32' ? 'whisper-cli.exe' : 'whisper-cli';
const KEPT_BUILDS = 6;
const PARALLEL = '2';
const TAIL_LINES = 25;

export { cacheDir };

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Versions and checksums of the packages we compile against; their whole sources are not read again. */
function packageKey() {
  const lock = readJson(join(root, 'package-lock.json')).packages ?? {};
  return ['nodejs-whisper', 'node-addon-api', 'node-api-headers'].map((name) => {
    const installed = join(modules, name, 'package.json');
    if (!existsSync(installed)) throw new Error(`The package ${name} is not installed. Run "npm ci" first.`);
    return [name, readJson(installed).version, lock[`node_modules/${name}`]?.integrity ?? ''];
  });
}

function ownSources() {
  const sources = readdirSync(join(here, 'src'), { recursive: true })
    .filter((name) => /\.(?:cc|h)$/.test(name))
    .sort()
    .map((name) => join(here, 'src', name));
  return [join(here, 'CMakeLists.txt'), ...sources, ...patchFiles(patches)].map((path) =>
    readFileSync(path, 'utf8'),
  );
}

/** The processor's model and features: a build for this very machine must not be taken to another. */
function cpuKey() {
  const model = cpus()[0]?.model ?? 'unknown';
  if (process.platform !== 'linux') return [model];
  const info = readFileSync('/proc/cpuinfo', 'utf8');
  return [model, /^(?:flags|Features)\s*:.*$/m.exec(info)?.[0] ?? ''];
}

/** The compiler that CMake will take, known by its file: asking it for its version costs more than all the rest. */
function compilerKey() {
  const named = process.env.CXX;
  const path =
    named && existsSync(named) ? named : onPath(...(named ? [named] : ['c++', 'g++', 'clang++', 'cl']));
  if (!path) return ['none'];
  const { size, mtimeMs } = statSync(path);
  return [path, size, mtimeMs];
}

function flagsOf({
  portable = false,
  vulkan = false,
  cuda = false,
  metal = process.platform === 'darwin',
} = {}) {
  return { portable, vulkan, cuda, metal };
}

function buildKey(flags) {
  const parts = [
    ownSources(),
    packageKey(),
    flags,
    process.platform,
    process.arch,
    flags.portable ? [] : cpuKey(),
    compilerKey(),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20);
}

function place(options, kind) {
  const flags = flagsOf(options);
  const key = `${buildKey(flags)}-${kind}`;
  const builds = join(cacheDir(), 'native');
  return {
    flags,
    key,
    builds,
    folder: join(builds, key),
    file: join(builds, key, kind === 'cli' ? CLI : ADDON),
  };
}

/** Finds a finished build and notes that it is in use. */
function found({ folder, file }) {
  if (!existsSync(file)) return undefined;
  const now = new Date();
  utimesSync(folder, now, now);
  return file;
}

/** The path of the built addon for these sources and this machine, or undefined. Takes milliseconds. */
export function addonPath(options = {}) {
  return found(place(options, 'addon'));
}

/** The path of the built whisper-cli, or undefined. */
export function whisperCliPath(options = {}) {
  return found(place(options, 'cli'));
}

/**
 * Builds the addon unless it is there, and returns its path.
 * @param options `log` gets a line at a time; `cli` also builds whisper-cli in the same run, which is cheap then.
 */
export async function buildAddon({ log = () => {}, cli = false, ...options } = {}) {
  const kinds = cli ? ['addon', 'cli'] : ['addon'];
  return (
    await ensure(
      kinds.map((kind) => place(options, kind)),
      log,
    )
  )[0];
}

/** Builds whisper.cpp's own command-line program from the same source and flags, and returns its path. */
export async function buildWhisperCli({ log = () => {}, ...options } = {}) {
  return (await ensure([place(options, 'cli')], log))[0];
}

async function ensure(places, log) {
  const missing = places.filter((entry) => !found(entry));
  if (missing.length > 0) {
    const { builds, key } = missing[0];
    const waiting = () => log('Waiting for another process that is building the speech engine …');
    await withLock(join(builds, `${key}.lock`), waiting, async () => {
      // Another process may have built it while this one waited.
      const still = missing.filter((entry) => !found(entry));
      if (still.length > 0) await build(still, log);
    });
    prune(builds, places);
  }
  return places.map((entry) => entry.file);
}

async function build(places, log) {
  const { builds, flags, key } = places[0];
  const work = join(builds, `.work-${process.pid}-${Date.now()}`);
  const logFile = join(builds, `${key}.log`);
  mkdirSync(work, { recursive: true });
  const started = Date.now();
  const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const withCli = places.some((entry) => entry.file.endsWith(CLI));
  const withAddon = places.some((entry) => entry.file.endsWith(ADDON));
  const targets = [...(withAddon ? ['earshot_engine'] : []), ...(withCli ? ['whisper-cli'] : [])];
  try {
    const patched = join(work, 'patched');
    patchSources({ patches, sources: whisperSources, target: patched });
    writeFileSync(logFile, '');
    log(`Building ${targets.join(' and ')} (once for this machine; a minute or two) …`);
    const tree = join(work, 'tree');
    const step = { logFile, log, elapsed };
    await cmake(['-S', here, '-B', tree, ...defines(flags, withCli, patched)], step);
    await cmake(
      ['--build', tree, '--config', 'Release', '--parallel', PARALLEL, '--target', ...targets],
      step,
    );
    for (const entry of places) publish(tree, work, entry);
    rmSync(logFile, { force: true });
    log(`Built ${targets.join(' and ')} in ${elapsed()}.`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function defines({ portable, vulkan, cuda, metal }, withCli, patched) {
  const onOff = (value) => (value ? 'ON' : 'OFF');
  const headers = join(modules, 'node-api-headers');
  return [
    '-DCMAKE_BUILD_TYPE=Release',
    `-DEARSHOT_WHISPER_DIR=${whisperSources}`,
    `-DEARSHOT_PATCHED_DIR=${patched}`,
    `-DEARSHOT_NAPI_INCLUDE=${join(modules, 'node-addon-api')};${join(headers, 'include')}`,
    `-DEARSHOT_NAPI_DEF=${join(headers, 'def', 'node_api.def')}`,
    `-DEARSHOT_NODE=${process.execPath}`,
    `-DEARSHOT_PORTABLE=${onOff(portable)}`,
    `-DEARSHOT_METAL=${onOff(metal)}`,
    `-DEARSHOT_VULKAN=${onOff(vulkan)}`,
    `-DEARSHOT_CUDA=${onOff(cuda)}`,
    `-DEARSHOT_CLI=${onOff(withCli)}`,
  ];
}

/** Moves a finished part of the build to its place in one step: nobody ever sees half of it. */
function publish(tree, work, { folder, file }) {
  const bin = existsSync(join(tree, 'bin', 'Release')) ? join(tree, 'bin', 'Release') : join(tree, 'bin');
  const ready = join(work, `ready-${file.endsWith(CLI) ? 'cli' : 'addon'}`);
  mkdirSync(ready);
  const wanted = (name) => (file.endsWith(CLI) ? name !== ADDON : name !== CLI);
  for (const entry of readdirSync(bin, { withFileTypes: true })) {
    if (!entry.isDirectory() && wanted(entry.name))
      copyFileSync(join(bin, entry.name), join(ready, entry.name));
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(ready, folder);
}

function cmake(args, { logFile, log, elapsed }) {
  return new Promise((resolve, reject) => {
    const output = openSync(logFile, 'a');
    const child = spawn('cmake', args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let told = 0;
    const read = (chunk) => {
      writeFileSync(output, chunk);
      const percent = Number(/\[\s*(\d+)%\](?![\s\S]*\[\s*\d+%\])/.exec(String(chunk))?.[1] ?? 0);
      if (percent >= told + 10) {
        told = percent;
        log(`  ${percent} % (${elapsed()})`);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', (error) => {
      closeSync(output);
      reject(error.code === 'ENOENT' ? new Error(missingCmake()) : error);
    });
    child.once('close', (code, signal) => {
      closeSync(output);
      if (code === 0) resolve();
      else reject(new Error(failure(logFile, signal ?? `exit code ${code}`)));
    });
  });
}

function missingCmake() {
  return 'CMake was not found. Install CMake and a C++ compiler (on Debian: apt-get install cmake g++), then try again.';
}

/** The compiler's last words, where they matter, and where all of them are. */
function failure(logFile, reason) {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  const firstError = lines.findIndex((line) => /\berror\b/i.test(line));
  const from =
    firstError >= 0 && firstError < lines.length - TAIL_LINES ? firstError : lines.length - TAIL_LINES;
  const shown = lines.slice(Math.max(0, from), Math.max(0, from) + TAIL_LINES);
  return [
    `The speech engine could not be built (${reason}). The compiler's words:`,
    ...shown.map((line) => `  ${line}`),
    `The whole log: ${logFile}`,
  ].join('\n');
}

/** Removes builds that newer ones replaced, and what interrupted builds left. */
function prune(builds, keep) {
  const kept = new Set(keep.map(({ folder }) => folder));
  const finished = [];
  for (const name of readdirSync(builds)) {
    const path = join(builds, name);
    const owner = /^\.work-(\d+)-/.exec(name)?.[1];
    if (owner && !isAlive(Number(owner))) rmSync(path, { recursive: true, force: true });
    if (/-(?:addon|cli)$/.test(name) && !kept.has(path)) finished.push(path);
  }
  const lastUse = new Map(finished.map((path) => [path, statSync(path).mtimeMs]));
  const oldestFirst = finished.sort((a, b) => lastUse.get(a) - lastUse.get(b));
  for (const path of oldestFirst.slice(0, Math.max(0, finished.length + kept.size - KEPT_BUILDS))) {
    rmSync(path, { recursive: true, force: true });
  }
}

async function main(args) {
  const known = ['--cli', '--portable', '--vulkan', '--cuda', '--no-metal'];
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown) throw new Error(`Unknown option ${unknown}. Known: ${known.join(' ')}`);
  const has = (name) => args.includes(name);
  const options = { portable: has('--portable'), vulkan: has('--vulkan'), cuda: has('--cuda') };
  if (has('--no-metal')) options.metal = false;
  const log = (line) => process.stderr.write(`${line}\n`);
  const path = has('--cli')
    ? await buildWhisperCli({ log, ...options })
    : await buildAddon({ log, ...options });
  process.stdout.write(`${path}\n`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
