import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { MEDIA_KINDS } from '../../../electron/contract/media-kinds.ts';
import { LAYOUT } from '../../../electron/core/base/layout.ts';
import {
  architecture,
  libraryPackages,
  maintainer,
  packDeb,
  prepareDocs,
  SUMMARY,
} from '../../server/build/deb.ts';
import { sizeOf, writeTree } from '../../server/build/tree.ts';

const files = resolve(import.meta.dirname, '..', 'files');

export const NAME = 'earshot-desktop';

/** What Electron's binary loads or starts, beside what the command line needs. dpkg-shlibdeps does not know /opt. */
const ELECTRON_DEPENDS = [
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libgbm1',
  'libasound2 | libasound2t64',
  'libdrm2',
  'libxss1',
  'libxtst6',
  'libatspi2.0-0 | libatspi2.0-0t64',
  'libnotify4',
  'libsecret-1-0',
  'libuuid1',
  'xdg-utils',
];

const control = (tree: string, version: string, hasFfmpeg: boolean): string =>
  [
    `Package: ${NAME}`,
    `Version: ${version}`,
    `Architecture: ${architecture()}`,
    `Maintainer: ${maintainer()}`,
    `Installed-Size: ${Math.ceil(sizeOf(tree) / 1024)}`,
    `Depends: ${[libraryPackages(join(tree, 'usr', 'lib', 'earshot')), ...ELECTRON_DEPENDS, ...(hasFfmpeg ? [] : ['ffmpeg'])].join(', ')}`,
    'Suggests: clamav, libvulkan1, yt-dlp',
    // The package for servers has the same command.
    'Conflicts: earshot',
    'Replaces: earshot',
    'Section: sound',
    'Priority: optional',
    `Description: ${SUMMARY} (desktop program)`,
    ' Earshot turns recordings into text with times and speakers, on this machine: a',
    ' window of its own, a command, and an HTTP API on localhost that programs for paid',
    ' cloud services can use instead of them.',
    '',
  ].join('\n');

type Inputs = {
  readonly version: string;
  /** The unpacked program that electron-builder made. */
  readonly unpacked: string;
  readonly addon: string;
  /** `bin/node` of Node as its project publishes it, for the command line. */
  readonly node: string;
  readonly out: string;
  readonly compression?: string;
};

/** Of the two copies of a part in the package, Electron's becomes a link to the command line's. */
const share = (opt: string, part: 'resources' | 'addon'): void => {
  const name = part === 'addon' ? dirname(LAYOUT.addon.bundled) : LAYOUT.resources.bundled;
  const own = join(opt, 'resources', name);
  rmSync(own, { recursive: true });
  symlinkSync(`/usr/lib/earshot/${name}`, own);
};

/**
 * Packs the program with its command line: `/usr/lib/earshot` as the package for servers has it, and `/opt/Earshot` with
 * Electron, whose sandbox gets the set-user-id bit that it needs if people may not make name spaces.
 */
export const buildDesktopDeb = ({ version, unpacked, addon, node, out, compression }: Inputs): string => {
  const tree = mkdtempSync(join(tmpdir(), 'earshot-desktop-deb-'));
  try {
    chmodSync(tree, 0o755);
    const usr = join(tree, 'usr');
    const opt = join(tree, 'opt', 'Earshot');
    cpSync(unpacked, opt, { recursive: true, verbatimSymlinks: true });
    const ffmpeg = join(opt, 'resources', LAYOUT.ffmpeg.bundled, 'ffmpeg');
    const hasFfmpeg = existsSync(ffmpeg);
    writeTree(usr, { version, addon, node });
    if (hasFfmpeg)
      cpSync(dirname(ffmpeg), join(usr, 'lib', 'earshot', LAYOUT.ffmpeg.bundled), { recursive: true });
    rmSync(join(usr, 'lib', 'systemd'), { recursive: true });
    share(opt, 'resources');
    share(opt, 'addon');
    chmodSync(join(opt, 'chrome-sandbox'), 0o4755);
    copyFileSync(join(files, 'earshot'), join(usr, 'bin', 'earshot'));
    chmodSync(join(usr, 'bin', 'earshot'), 0o755);
    const entry = readFileSync(join(files, 'earshot.desktop'), 'utf8');
    const types = [...MEDIA_KINDS.map(({ mimeType }) => mimeType), 'x-scheme-handler/earshot'];
    writeFileSync(
      join(usr, 'share', 'applications', 'earshot.desktop'),
      entry.replace(/^MimeType=.*$/m, `MimeType=${types.join(';')};`),
    );
    prepareDocs(usr, { name: NAME, version });
    mkdirSync(join(tree, 'DEBIAN'));
    writeFileSync(join(tree, 'DEBIAN', 'control'), control(tree, version, hasFfmpeg));
    const file = join(out, `${NAME}_${version}_${architecture()}.deb`);
    packDeb(tree, file, compression);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
};
