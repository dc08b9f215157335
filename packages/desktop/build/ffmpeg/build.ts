import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { CROSS, FFMPEG, ffmpegOptions, OPUS, opusOptions, PATCH, SOURCES, type Target } from './recipe.ts';
import { FfmpegUnavailable, fetchSources, home } from './sources.ts';

const has = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

const checkTools = (target: Target): void => {
  const compiler = target === 'win32' ? `${CROSS}-gcc` : 'cc';
  const missing = ['make', 'patch', 'pkg-config', 'tar', compiler].filter((program) => !has(program));
  if (missing.length > 0) throw new FfmpegUnavailable(`${missing.join(', ')} not found.`);
};

/** Runs a command with its output in a log, whose last lines explain a failure. */
const run = (program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): void => {
  const logFile = join(cwd, 'earshot-build.log');
  const log = openSync(logFile, 'a');
  const { status, error } = spawnSync(program, args, { cwd, env, stdio: ['ignore', log, log] });
  closeSync(log);
  if (error !== undefined) throw error;
  if (status === 0) return;
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-25).join('\n');
  throw new Error(`${program} ${args[0] ?? ''} failed:\n${tail}`);
};

const configureAndMake = (folder: string, options: readonly string[], env: NodeJS.ProcessEnv): void => {
  run('sh', ['./configure', ...options], folder, env);
  run('make', [`-j${availableParallelism()}`], folder, env);
};

/** Where the programs come from and how they were made, which the LGPL asks to be said. */
const origin = (options: readonly string[]): string =>
  [
    'ffmpeg and ffprobe are separate programs under the GNU Lesser General Public License, version 2.1 or later',
    '(COPYING.LGPLv2.1); libopus, which they contain, is under the license in LICENSE.opus. Another build can take their',
    'place in this folder. Made from:',
    '',
    ...SOURCES.map(({ url, sha256 }) => `  ${url}\n  SHA-256 ${sha256}`),
    '',
    `with ${basename(PATCH)}, which lies beside this file. The same archives lie beside each release of Earshot. configure`,
    'was run with:',
    '',
    ...options.map((option) => `  ${option}`),
    '',
  ].join('\n');

const compile = (archives: readonly string[], target: Target, work: string, ready: string): void => {
  for (const archive of archives) execFileSync('tar', ['-xf', archive, '-C', work]);
  const prefix = join(work, 'libraries');
  const env = { ...process.env, PKG_CONFIG_LIBDIR: join(prefix, 'lib', 'pkgconfig'), PKG_CONFIG_PATH: '' };
  const opus = join(work, OPUS.name);
  configureAndMake(opus, opusOptions(target, prefix), env);
  run('make', ['install'], opus, env);
  const ffmpeg = join(work, FFMPEG.name);
  run('patch', ['-p1', '--input', PATCH], ffmpeg, env);
  const options = ffmpegOptions(target, has('nasm'));
  configureAndMake(ffmpeg, options, env);
  mkdirSync(ready);
  for (const name of ['ffmpeg', 'ffprobe']) {
    // make has stripped them.
    const file = target === 'win32' ? `${name}.exe` : name;
    copyFileSync(join(ffmpeg, file), join(ready, file));
  }
  for (const { name, license } of SOURCES)
    copyFileSync(join(work, name, license.file), join(ready, license.as));
  copyFileSync(PATCH, join(ready, basename(PATCH)));
  writeFileSync(join(ready, 'ORIGIN.txt'), origin(options));
};

/**
 * Builds ffmpeg and ffprobe for a system, unless they are cached, and returns the folder with both and their licenses.
 * Needs a C compiler, make, patch and pkg-config, and MinGW's compiler for Windows, which is cross-compiled. Throws
 * FfmpegUnavailable, or an Error if they do not build.
 */
export const buildFfmpeg = async (target: Target, log: (line: string) => void): Promise<string> => {
  const architecture = target === 'win32' ? 'x64' : process.arch;
  const patch = readFileSync(PATCH, 'utf8');
  const recipe = [SOURCES, opusOptions(target, ''), ffmpegOptions(target, has('nasm')), patch, architecture];
  const key = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 16);
  const folder = join(home(), `${target}-${key}`);
  if (existsSync(folder)) return folder;
  checkTools(target);
  const archives = await fetchSources();
  const work = mkdtempSync(join(home(), '.work-'));
  try {
    log(`Building ${FFMPEG.name} for the packages, once for this machine …`);
    compile(archives, target, work, join(work, 'ready'));
    // Another process may have been as fast.
    if (!existsSync(folder)) renameSync(join(work, 'ready'), folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};
