// Builds the desktop packages with electron-builder, whose options it takes:
//
//   npm run package                    the targets of this system, into dist/desktop/
//   npm run package -- --dir           the unpacked folder alone
//   npm run package -- --linux deb
//
// EARSHOT_FFMPEG_DIR names a folder with ffmpeg and ffprobe that the packages bring along; without it they use those of the
// system. EARSHOT_UPDATE_FEED is the default of the setting updates.feed in these packages. EARSHOT_ELECTRON_DIST names an unpacked Electron to use instead of a downloaded one.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

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
  if (missing.length > 0) throw new Error(`EARSHOT_FFMPEG_DIR (${folder}) lacks ${missing.join(', ')}.`);
};

if (EARSHOT_FFMPEG_DIR) checkFfmpeg(EARSHOT_FFMPEG_DIR);
else
  process.stdout.write(
    'EARSHOT_FFMPEG_DIR is not set: these packages bring no ffmpeg and use the one of the system.\n',
  );

const none = mkdtempSync(join(tmpdir(), 'earshot-no-ffmpeg-'));
try {
  const electron = EARSHOT_ELECTRON_DIST ? [`-c.electronDist=${resolve(EARSHOT_ELECTRON_DIST)}`] : [];
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'electron-builder', 'cli.js'),
      ...process.argv.slice(2),
      ...electron,
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
        EARSHOT_FFMPEG_DIR: relative(root, resolve(EARSHOT_FFMPEG_DIR ?? none)),
      },
    },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(none, { recursive: true, force: true });
}
