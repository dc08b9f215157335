// Builds the desktop packages with electron-builder, whose options it takes, into dist/desktop/:
//
//   npm run package                    the targets of this system
//   npm run package -- --dir           the unpacked folder alone
//
// On Linux, electron-builder makes the unpacked folder and the AppImage, for which it downloads tools; the .deb and the .tar.gz
// are made here of that folder, with dpkg-deb and tar. Options are for macOS and Windows, but for --dir.
//
// The packages bring the ffmpeg along that `npm run package:ffmpeg` builds, or that in the folder EARSHOT_FFMPEG_DIR. Where its
// sources cannot be downloaded, a line says so and the packages use the system's. EARSHOT_UPDATE_FEED is the default of the
// setting updates.feed in these packages. EARSHOT_ELECTRON_DIST names an unpacked Electron to use instead of a downloaded one, EARSHOT_PACKAGES another folder for
// the packages. DEBFULLNAME and DEBEMAIL name the maintainer of the .deb.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { buildDesktopDeb } from './deb.ts';
import { buildFfmpeg } from './ffmpeg/build.ts';
import { isTarget } from './ffmpeg/recipe.ts';
import { FfmpegUnavailable } from './ffmpeg/sources.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const {
  EARSHOT_ADDON = '',
  EARSHOT_ELECTRON_DIST,
  EARSHOT_FFMPEG_DIR,
  EARSHOT_PACKAGES,
  EARSHOT_UPDATE_FEED,
} = process.env;
if (EARSHOT_ADDON === '') throw new Error('The engine is not built: run npm run package.');

/** What a package may bring along: both programs for the platform it is made on, and the text of their license. */
const checkFfmpeg = (folder: string): void => {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const missing = ['ffmpeg', 'ffprobe'].filter((name) => !files.includes(`${name}${suffix}`));
  if (!files.some((name) => /^(?:COPYING|LICENSE)/i.test(name)))
    missing.push('their license (COPYING… or LICENSE…)');
  if (missing.length > 0) throw new Error(`${folder} lacks ${missing.join(', ')}.`);
};

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** The folder with the ffmpeg to bring along; undefined if there is none. */
const ffmpegFolder = async (): Promise<string | undefined> => {
  if (EARSHOT_FFMPEG_DIR) return resolve(EARSHOT_FFMPEG_DIR);
  if (!isTarget(process.platform)) return undefined;
  try {
    return await buildFfmpeg(process.platform, print);
  } catch (error) {
    if (!(error instanceof FfmpegUnavailable)) throw error;
    print(`! ffmpeg     these packages bring none and use the system's: ${error.message}`);
    return undefined;
  }
};

const ffmpeg = await ffmpegFolder();
if (ffmpeg !== undefined) checkFfmpeg(ffmpeg);
const none = mkdtempSync(join(tmpdir(), 'earshot-no-ffmpeg-'));
const out = resolve(EARSHOT_PACKAGES ?? join(root, 'dist', 'desktop'));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

const electronBuilder = (...args: string[]): number => {
  const electron = EARSHOT_ELECTRON_DIST ? [`-c.electronDist=${resolve(EARSHOT_ELECTRON_DIST)}`] : [];
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'electron-builder', 'cli.js'),
      ...args,
      ...electron,
      `-c.directories.output=${out}`,
      ...(EARSHOT_UPDATE_FEED ? [`-c.extraMetadata.updateFeed=${EARSHOT_UPDATE_FEED}`] : []),
      ...['--publish', 'never'],
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        // electron-builder takes these from the project's folder, also absolute ones.
        EARSHOT_ENGINE_DIR: relative(root, dirname(EARSHOT_ADDON)),
        EARSHOT_FFMPEG_DIR: relative(root, ffmpeg ?? none),
      },
    },
  );
  return status ?? 1;
};

/** The packages of Linux that need no download: a .tar.gz and a .deb of the unpacked folder. */
const packUnpacked = (unpacked: string): void => {
  const name = `earshot-${version}-linux-${process.arch}`;
  const tar = join(out, `${name}.tar.gz`);
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name'];
  const folder = basename(unpacked);
  execFileSync('tar', ['-C', out, ...owner, `--transform=s,^${folder},${name},`, '-czf', tar, folder]);
  print(tar);
  const node = join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  print(buildDesktopDeb({ version, unpacked, addon: EARSHOT_ADDON, node, out }));
};

const packageForLinux = (args: readonly string[]): number => {
  const status = electronBuilder('--linux', 'dir', ...args.filter((arg) => arg.startsWith('-c.')));
  if (status !== 0 && !EARSHOT_ELECTRON_DIST)
    print(
      '! electron   if its binary cannot be downloaded from GitHub, EARSHOT_ELECTRON_DIST names an unpacked one.',
    );
  if (status !== 0 || args.includes('--dir')) return status;
  const unpacked = join(out, process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`);
  packUnpacked(unpacked);
  if (electronBuilder('--linux', 'AppImage', '--prepackaged', unpacked) !== 0)
    print('! AppImage   was not made: electron-builder could not download its tools from GitHub.');
  return 0;
};

try {
  const args = process.argv.slice(2);
  process.exitCode = process.platform === 'linux' ? packageForLinux(args) : electronBuilder(...args);
} finally {
  rmSync(none, { recursive: true, force: true });
}
