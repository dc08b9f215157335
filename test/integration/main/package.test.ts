import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { listPackage } from '@electron/asar';
import { beforeAll, describe, expect, it } from 'vitest';
import { LAYOUT } from '../../../electron/core/base/layout.ts';
import { cacheDir } from '../../../native/build.mjs';
import {
  DownloadError,
  fusesOf,
  REHEARSAL_ELECTRON,
  rehearsalElectron,
} from '../../desktop/rehearsal/electron.ts';
import { testAddon } from '../../support/addon.ts';
import { ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const pack = (environment: NodeJS.ProcessEnv): Promise<unknown> =>
  promisify(execFile)(
    process.execPath,
    [
      join(ROOT, 'packages', 'desktop', 'build', 'main.ts'),
      '--dir',
      `-c.electronVersion=${REHEARSAL_ELECTRON}`,
    ],
    { cwd: ROOT, env: { ...process.env, NODE_COMPILE_CACHE: join(cacheDir(), 'code'), ...environment } },
  );

/** Electron's own folder for electron-builder; undefined if it cannot be had. */
const electronFolder = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return await rehearsalElectron();
  } catch (error) {
    if (error instanceof DownloadError) return undefined;
    throw error;
  }
};

const electron = await electronFolder();

describe('ffmpeg in the desktop package', () => {
  it('comes with its license, or not at all', async () => {
    const folder = temporaryFolder();
    for (const name of ['ffmpeg', 'ffprobe']) await writeFile(join(folder, name), '');
    const packing = pack({ EARSHOT_ADDON: await testAddon(), EARSHOT_FFMPEG_DIR: folder });
    await expect(packing).rejects.toMatchObject({ stderr: expect.stringMatching(/lacks .*license/) });
  });
});

describe.skipIf(electron === undefined)('the desktop package', () => {
  let program: string;

  beforeAll(async () => {
    const [out, ffmpeg] = [temporaryFolder(), temporaryFolder()];
    for (const name of ['ffmpeg', 'ffprobe', 'COPYING.txt']) await writeFile(join(ffmpeg, name), name);
    await pack({
      EARSHOT_ADDON: await testAddon(),
      EARSHOT_ELECTRON_DIST: electron,
      EARSHOT_FFMPEG_DIR: ffmpeg,
      EARSHOT_PACKAGES: out,
    });
    program = join(out, 'linux-unpacked');
  });

  it('holds what the layout names, and no sources, tests or maps', () => {
    const archive = listPackage(join(program, 'resources', 'app.asar'), { isPack: false });
    const outside = globSync('**/*', { cwd: join(program, 'resources') }).map((path) => `/${path}`);
    for (const part of Object.values(LAYOUT)) {
      if (part === LAYOUT.commandLine) continue;
      const files = part.in === 'program' ? archive : outside;
      expect(files, part.bundled).toContain(`/${part.bundled}`);
    }
    const all = [...archive, ...outside];
    expect(
      all.filter((path) => /\.(?:ts|tsx|map|cc|cpp|c|h|gyp|md\.bak)$|\/test\/|earshot\.db/.test(path)),
    ).toEqual([]);
    const packages = archive.flatMap(
      (path) => /^\/node_modules\/((?:@[^/]+\/)?[^/@]+)$/.exec(path)?.[1] ?? [],
    );
    const platform = `${process.platform}-${process.arch}`;
    expect(packages.toSorted()).toEqual(
      [
        '@node-rs/crc32',
        `@node-rs/crc32-${platform}-gnu`,
        'better-sqlite3',
        `sherpa-onnx-${platform}`,
        'sherpa-onnx-node',
      ].toSorted(),
    );
    expect(archive.filter((path) => /\/prebuilds\/./.test(path)).map((path) => basename(path))).toEqual([
      `${platform}.node`,
    ]);
    for (const name of ['LICENSE', 'THIRD-PARTY-NOTICES.md']) expect(archive).toContain(`/${name}`);
    const brought = outside.filter((path) => path.startsWith(`/${LAYOUT.ffmpeg.bundled}/`));
    expect(brought.map((path) => basename(path)).toSorted()).toEqual(['COPYING.txt', 'ffmpeg', 'ffprobe']);
  });

  it('has the fuses of its binary flipped: no Node by environment or option, and nothing but the archive', () => {
    // RunAsNode, cookie encryption, NODE_OPTIONS, --inspect, integrity of the archive, only the archive.
    expect(fusesOf(join(program, 'earshot')).slice(0, 6)).toBe('010011');
    const locales = globSync('*.pak', { cwd: join(program, 'locales') }).toSorted();
    expect(locales).toEqual(['de.pak', 'en-GB.pak', 'en-US.pak', 'es-419.pak', 'es.pak', 'fr.pak']);
  });
});
