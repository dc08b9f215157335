// Builds the desktop packages with electron-builder, whose options it takes:
//
//   npm run package                    the targets of this system, into dist/desktop/
//   npm run package -- --dir           the unpacked folder alone
//   npm run package -- --linux deb
//
// The packages bring the ffmpeg along that `npm run package:ffmpeg` builds, or that in the folder EARSHOT_FFMPEG_DIR. Where its
// sources cannot be downloaded, a line says so and the packages use the system's. EARSHOT_UPDATE_FEED is the default of the
// setting updates.feed in these packages. EARSHOT_ELECTRON_DIST names an unpacked Electron to use instead of a downloaded one.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildFfmpeg } from './ffmpeg/build.ts';
import { isTarget } from './ffmpeg/recipe.ts';
import { FfmpegUnavailable } from './ffmpeg/sources.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const { DEBEMAIL, DEBFULLNAME } = process.env;
const { EARSHOT_ADDON, EARSHOT_ELECTRON_DIST, EARSHOT_FFMPEG_DIR, EARSHOT_UPDATE_FEED } = process.env;
if (!EARSHOT_ADDON) throw new Error('The engine is not built: run npm run package.');

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

const Config = z.object({ deb: z.object({ depends: z.array(z.string()) }) });

/** Without an ffmpeg in it, the .deb depends on the distribution's. */
const dependOnFfmpeg = (): string[] => {
  const { deb } = Config.parse(parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')));
  return [...deb.depends, 'ffmpeg'].map((name) => `-c.deb.depends=${name}`);
};

const ffmpeg = await ffmpegFolder();
if (ffmpeg !== undefined) checkFfmpeg(ffmpeg);
const none = mkdtempSync(join(tmpdir(), 'earshot-no-ffmpeg-'));
try {
  const electron = EARSHOT_ELECTRON_DIST ? [`-c.electronDist=${resolve(EARSHOT_ELECTRON_DIST)}`] : [];
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'electron-builder', 'cli.js'),
      ...process.argv.slice(2),
      ...electron,
      ...(ffmpeg === undefined ? dependOnFfmpeg() : []),
      ...(DEBEMAIL ? [`-c.linux.maintainer=${DEBFULLNAME ?? 'Earshot contributors'} <${DEBEMAIL}>`] : []),
      ...(EARSHOT_UPDATE_FEED ? [`-c.extraMetadata.updateFeed=${EARSHOT_UPDATE_FEED}`] : []),
      '--publish',
      'never',
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
  process.exitCode = status ?? 1;
} finally {
  rmSync(none, { recursive: true, force: true });
}
