// Builds the ffmpeg that the desktop packages bring along, and prints its folder.
//
//   npm run package:ffmpeg                          for this system
//   npm run package:ffmpeg -- --target win32        for Windows, with MinGW on Linux
//   npm run package:ffmpeg -- --out dist/ffmpeg     also copies it there
//   npm run package:ffmpeg -- --sources dist/ffmpeg-sources   also copies the sources' archives there
//
// EARSHOT_FFMPEG_SOURCES names a folder with the archives, instead of downloads.

import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildFfmpeg } from './build.ts';
import { isTarget } from './recipe.ts';
import { fetchSources } from './sources.ts';

const { values: options } = parseArgs({
  options: {
    target: { type: 'string', default: process.platform },
    out: { type: 'string' },
    sources: { type: 'string' },
  },
});
const { target } = options;
if (!isTarget(target)) throw new Error(`There is no recipe of ffmpeg for ${target}.`);
const folder = await buildFfmpeg(target, (line) => process.stderr.write(`${line}\n`));
if (options.out !== undefined) cpSync(folder, options.out, { recursive: true });
if (options.sources !== undefined) {
  mkdirSync(options.sources, { recursive: true });
  for (const archive of await fetchSources()) copyFileSync(archive, join(options.sources, basename(archive)));
}
process.stdout.write(`${options.out ?? folder}\n`);
