// Builds the native speech engine once and keeps it in a cache outside the source tree.
//
//   node native/build.mjs [--cli] [--portable [--vulkan]] [--cuda] [--no-metal]
//
// `--vulkan` puts a library for graphics processors beside the portable addon; it needs glslc and the headers of Vulkan and
// SPIR-V. Prints the path of the addon (or of whisper.cpp's own whisper-cli) to stdout and its progress to stderr.
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
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cacheDir, isLocked, modules, onPath, root, withLock } from '../electron/cli/bootstrap/places.mjs';
import { patchFiles, patchSources } from './patch.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const whisperSources = join(modules, 'nodejs-whisper', 'cpp', 'whisper.cpp');
const patches = join(here, 'patches');
const ADDON = 'earshot_engine.node';
const EXTENSION = process.platform === 'win32' ? '.exe' : '';
const CLI = `whisper-cli${EXTENSION}`;
/** Parakeet's own program and test/products_check.cc lie beside whisper-cli. */
const BESIDE_CLI = ['parakeet-cli', 'products-check'].map((name) => `${name}${EXTENSION}`);
const BENCH = `engine-bench${EXTENSION}`;
/** Named in native/CMakeLists.txt. */
const VULKAN = process.platform === 'win32' ? 'earshot_vulkan.dll' : 'libearshot_vulkan.so';
/** The file of each kind of build. */
const PRODUCTS = { addon: ADDON, cli: CLI, bench: BENCH, vulkan: VULKAN };
/** The CMake targets of each kind. */
const TARGETS = {
  addon: ['earshot_engine'],
  cli: ['whisper-cli', 'parakeet-cli', 'products-check'],
  bench: ['engine-bench'],
  vulkan: ['ggml-vulkan'],
};
const MAX_CACHED_BUILDS = 6;
const PARALLEL_COMPILERS = '2';
const TAIL_LINES = 25;
const SHADERS_TOOL = 'vulkan-shaders-gen';
const MISSING_CMAKE =
  'CMake was not found. Install CMake and a C++ compiler (on Debian: apt-get install cmake g++), then try again.';

export { cacheDir };

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Versions and checksums of the packages that we compile against, instead of their whole sources. */
const packageKey = () => {
  const lock = readJson(join(root, 'package-lock.json')).packages ?? {};
  return ['nodejs-whisper', 'node-addon-api', 'node-api-headers'].map((name) => {
    const installed = join(modules, name, 'package.json');
    if (!existsSync(installed)) throw new Error(`The package ${name} is not installed. Run "npm ci" first.`);
    return [name, readJson(installed).version, lock[`node_modules/${name}`]?.integrity ?? ''];
  });
};

const sourcesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.(?:cc|h)$/.test(name))
    .sort()
    .map((name) => join(folder, name));

const readAll = (paths) => paths.map((path) => readFileSync(path, 'utf8'));

const listFile = join(here, 'CMakeLists.txt');
const vulkanFolder = join(here, 'src', 'vulkan');

const patchTexts = (ofVulkan) =>
  readAll(patchFiles(patches)).filter((text) => text.includes('+++ b/ggml/src/ggml-vulkan/') === ofVulkan);

const ownSources = () => [
  ...readAll([
    listFile,
    ...sourcesIn(join(here, 'src')).filter((path) => path !== join(vulkanFolder, 'devices.cc')),
  ]),
  ...patchTexts(false),
];

/** Its two thousand kernels take minutes to compile, and do not depend on the addon's sources. */
const vulkanSources = () => [
  ...readAll([listFile, join(vulkanFolder, 'library.cmake'), ...sourcesIn(vulkanFolder)]),
  ...patchTexts(true),
];

/** The processor's model and features, because a build for this machine need not run on another. */
const cpuKey = () => {
  const model = cpus()[0]?.model ?? 'unknown';
  if (process.platform !== 'linux') return [model];
  const info = readFileSync('/proc/cpuinfo', 'utf8');
  return [model, /^(?:flags|Features)\s*:.*$/m.exec(info)?.[0] ?? ''];
};

/** A program by its file: asking for its version would take longer than everything else. */
const fileKey = (path) => {
  if (!path) return ['none'];
  const { size, mtimeMs } = statSync(path);
  return [path, size, mtimeMs];
};

/** The compiler that CMake will use. */
const compilerKey = () => {
  const named = process.env.CXX;
  const path =
    named && existsSync(named) ? named : onPath(...(named ? [named] : ['c++', 'g++', 'clang++', 'cl']));
  return fileKey(path);
};

const flagsOf = ({
  portable = false,
  vulkan = false,
  cuda = false,
  metal = process.platform === 'darwin',
  original = false,
  avx2 = false,
} = {}) => ({ portable, vulkan, cuda, metal, ...(original && { original }), ...(avx2 && { avx2 }) });

const buildKey = (flags, kind) => {
  const parts = [
    kind === 'vulkan' ? vulkanSources() : ownSources(),
    packageKey(),
    flags,
    process.platform,
    process.arch,
    flags.portable ? [] : cpuKey(),
    compilerKey(),
    ...(kind === 'vulkan' ? fileKey(onPath('glslc')) : []),
    // Its folder has the library.
    ...(kind === 'addon' && flags.vulkan ? vulkanSources() : []),
    ...(kind === 'cli' ? readAll(sourcesIn(join(here, 'test'))) : []),
    ...(kind === 'bench' ? [readFileSync(join(here, 'bench', 'engine_bench.cc'), 'utf8')] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20);
};

/** Where a product of the build is cached. */
const cacheEntry = (options, kind) => {
  const flags = flagsOf(options);
  const key = `${buildKey(flags, kind)}-${kind}`;
  const builds = join(cacheDir(), 'native');
  return {
    flags,
    key,
    builds,
    folder: join(builds, key),
    kind,
    file: join(builds, key, PRODUCTS[kind]),
    // whisper-cli is compiled in the addon's tree, whose objects it shares.
    work: join(builds, `${buildKey(flags, kind === 'cli' ? 'addon' : kind)}-tree`),
  };
};

/** The file of a finished build, or undefined. Marks the build as recently used. */
const findBuild = ({ folder, file, kind }) => {
  const files = kind === 'cli' ? [file, ...BESIDE_CLI.map((name) => join(folder, name))] : [file];
  if (!files.every((each) => existsSync(each))) return undefined;
  const now = new Date();
  utimesSync(folder, now, now);
  return file;
};

const defines = ({ portable, cuda, metal, avx2 }, kinds, patched) => {
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
    `-DEARSHOT_NATIVE=${onOff(!avx2)}`,
    `-DEARSHOT_METAL=${onOff(metal)}`,
    `-DEARSHOT_VULKAN=${onOff(kinds.includes('vulkan'))}`,
    `-DEARSHOT_CUDA=${onOff(cuda)}`,
    `-DEARSHOT_CLI=${onOff(kinds.includes('cli'))}`,
  ];
};

/** The first errors of the compiler, and the path of the whole log. */
const explainFailure = (logFile, reason) => {
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
};

/** The percentage in CMake's last line that has one, not of the tool for shaders, which is a build of its own within Vulkan's; or 0. */
const percentIn = (text) => {
  const lines = text.split('\n').filter((line) => /^\[\s*\d+%\]/.test(line) && !line.includes(SHADERS_TOOL));
  return Number.parseInt((lines.at(-1) ?? '').slice(1), 10) || 0;
};

const runCmake = (args, { logFile, log, elapsed }) =>
  new Promise((resolve, reject) => {
    const output = openSync(logFile, 'a');
    const child = spawn('cmake', args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let logged = 0;
    const read = (chunk) => {
      writeFileSync(output, chunk);
      const percent = percentIn(String(chunk));
      if (percent >= logged + 10) {
        logged = percent;
        log(`  ${percent} % (${elapsed()})`);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', (error) => {
      closeSync(output);
      reject(error.code === 'ENOENT' ? new Error(MISSING_CMAKE) : error);
    });
    child.once('close', (code, signal) => {
      closeSync(output);
      if (code === 0) resolve();
      else reject(new Error(explainFailure(logFile, signal ?? `exit code ${code}`)));
    });
  });

/** The files of a build's folder that belong to a product. */
const isPartOf = (kind, name) => {
  if (kind === 'vulkan' || name === VULKAN) return kind === 'vulkan' && name === VULKAN;
  return (
    name === PRODUCTS[kind] ||
    (kind === 'cli' && BESIDE_CLI.includes(name)) ||
    ![ADDON, CLI, ...BESIDE_CLI, BENCH].includes(name)
  );
};

/** Moves a product of the build into the cache with one rename, so that no other process sees half of it. */
const publish = (tree, work, { folder, kind, beside }) => {
  const bin = existsSync(join(tree, 'bin', 'Release')) ? join(tree, 'bin', 'Release') : join(tree, 'bin');
  const ready = join(work, `ready-${kind}`);
  rmSync(ready, { recursive: true, force: true });
  mkdirSync(ready);
  for (const entry of readdirSync(bin, { withFileTypes: true })) {
    const isWanted = !entry.isDirectory() && isPartOf(kind, entry.name);
    if (isWanted) copyFileSync(join(bin, entry.name), join(ready, entry.name));
  }
  if (beside) copyFileSync(beside, join(ready, basename(beside)));
  rmSync(folder, { recursive: true, force: true });
  renameSync(ready, folder);
};

const compile = async (entries, { logFile, log, elapsed }) => {
  const { work, flags } = entries[0];
  const kinds = entries.map(({ kind }) => kind);
  const sources = kinds.includes('bench') ? join(here, 'bench') : here;
  const patched = join(work, 'patched');
  const tree = join(work, 'tree');
  const step = { logFile, log, elapsed };
  patchSources({ patches, sources: whisperSources, target: patched, original: flags.original });
  writeFileSync(logFile, '');
  await runCmake(['-S', sources, '-B', tree, ...defines(flags, kinds, patched)], step);
  const targets = kinds.flatMap((kind) => TARGETS[kind]);
  await runCmake(
    ['--build', tree, '--config', 'Release', '--parallel', PARALLEL_COMPILERS, '--target', ...targets],
    step,
  );
  for (const entry of entries) publish(tree, work, entry);
};

/**
 * Compiles in a folder that an interrupted build leaves behind, so that the next one goes on from there. What a killed
 * compiler wrote may be damaged: if such a build fails, it starts over.
 */
const build = async (entries, log) => {
  const { builds, key, work } = entries[0];
  const logFile = join(builds, `${key}.log`);
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const kinds = entries.map(({ kind }) => kind);
  const names = kinds.flatMap((kind) => TARGETS[kind]).join(' and ');
  const isContinued = existsSync(work);
  mkdirSync(work, { recursive: true });
  const patience = kinds.includes('vulkan') ? 'about ten minutes' : 'a minute or two';
  log(
    `Building ${names} (${isContinued ? 'from what is compiled' : `once for this machine; ${patience}`}) …`,
  );
  const step = { logFile, log, elapsed };
  try {
    await compile(entries, step);
  } catch (error) {
    if (!isContinued) throw error;
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    await compile(entries, step);
  }
  rmSync(logFile, { force: true });
  // The addon's tree waits for whisper-cli, which tests and benchmarks need.
  if (!kinds.every((kind) => kind === 'addon')) rmSync(work, { recursive: true, force: true });
  log(`Built ${names} in ${elapsed()}.`);
};

/** Removes the least recently used builds, and the trees of other sources. */
const prune = (builds, entries) => {
  const kept = new Set(entries.map(({ folder }) => folder));
  const trees = new Set(entries.map(({ work }) => work));
  const others = [];
  for (const name of readdirSync(builds)) {
    const path = join(builds, name);
    const isStale = /-tree$/.test(name) && !trees.has(path) && !isLocked(`${path}.lock`);
    if (isStale) rmSync(path, { recursive: true, force: true });
    if (/-(?:addon|cli|bench|vulkan)$/.test(name) && !kept.has(path)) others.push(path);
  }
  // Another process may be removing the same ones.
  const lastUse = new Map(
    others.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0]),
  );
  const oldestFirst = others.sort((a, b) => lastUse.get(a) - lastUse.get(b));
  for (const path of oldestFirst.slice(0, Math.max(0, others.length + kept.size - MAX_CACHED_BUILDS))) {
    rmSync(path, { recursive: true, force: true });
  }
};

const ensure = async (entries, log) => {
  const missing = entries.filter((entry) => !findBuild(entry));
  if (missing.length > 0) {
    const { builds, work } = missing[0];
    const onWait = () => log('Waiting for another process that is building the speech engine …');
    await withLock(`${work}.lock`, onWait, async () => {
      // Another process may have built it while this one waited for the lock.
      const stillMissing = missing.filter((entry) => !findBuild(entry));
      if (stillMissing.length > 0) await build(stillMissing, log);
    });
    prune(builds, entries);
  }
  return entries.map(({ file }) => file);
};

/** The path of the addon built from these sources for this machine, or undefined. Takes milliseconds. */
export const addonPath = (options = {}) => findBuild(cacheEntry(options, 'addon'));

/** The path of whisper-cli built from these sources for this machine, or undefined. */
export const whisperCliPath = (options = {}) => findBuild(cacheEntry(options, 'cli'));

/**
 * Builds the addon unless it is cached, and returns its path.
 * @param options `log` gets progress a line at a time; `cli` builds whisper-cli in the same run, which costs little more.
 */
export const buildAddon = async ({ log = () => {}, cli = false, ...options } = {}) => {
  if (options.vulkan && !options.portable) throw new Error('--vulkan needs --portable.');
  const kinds = cli ? ['addon', 'cli'] : ['addon'];
  const [beside] = options.vulkan ? await ensure([cacheEntry(options, 'vulkan')], log) : [];
  const [addon] = await ensure(
    kinds.map((kind) => ({ ...cacheEntry(options, kind), beside: kind === 'addon' ? beside : undefined })),
    log,
  );
  return addon;
};

/** Builds whisper.cpp's own command-line programs from the same source and flags, and returns the path of whisper-cli. */
export const buildWhisperCli = async ({ log = () => {}, ...options } = {}) => {
  const [cli] = await ensure([cacheEntry(options, 'cli')], log);
  return cli;
};

/**
 * Builds engine-bench (bench/engine_bench.cc); with `original` over whisper.cpp as released, without our patches; with `avx2`
 * without what this x86-64 machine has beyond AVX2.
 */
export const buildEngineBench = async ({ log = () => {}, ...options } = {}) => {
  const [bench] = await ensure([cacheEntry(options, 'bench')], log);
  return bench;
};

const main = async (args) => {
  const known = ['--cli', '--portable', '--vulkan', '--cuda', '--no-metal'];
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown) throw new Error(`Unknown option ${unknown}. Known: ${known.join(' ')}`);
  const has = (name) => args.includes(name);
  const options = { portable: has('--portable'), vulkan: has('--vulkan'), cuda: has('--cuda') };
  if (has('--no-metal')) options.metal = false;
  const log = (line) => process.stderr.write(`${line}\n`);
  const buildTarget = has('--cli') ? buildWhisperCli : buildAddon;
  process.stdout.write(`${await buildTarget({ log, ...options })}\n`);
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
