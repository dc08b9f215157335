import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { vulkanLibrary } from '../../../electron/core/base/layout.ts';
import { home, root, sizeOf } from './tree.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export const architecture = (): string => ARCHITECTURES[process.arch] ?? process.arch;

export const SUMMARY = 'speech to text that never leaves your machine';

/** Whoever makes the package answers for it, as Debian's own tools have it. */
export const maintainer = (): string => {
  const { DEBFULLNAME = 'Earshot contributors', DEBEMAIL = 'contributors@earshot.invalid' } = process.env;
  return `${DEBFULLNAME} <${DEBEMAIL}>`;
};

/** The packages with the system libraries that the program's binaries load, by dpkg-shlibdeps. */
export const libraryPackages = (program: string): string => {
  const work = mkdtempSync(join(tmpdir(), 'earshot-shlibdeps-'));
  try {
    mkdirSync(join(work, 'debian'));
    writeFileSync(
      join(work, 'debian', 'control'),
      'Source: earshot\n\nPackage: earshot\nArchitecture: any\n',
    );
    const files = readdirSync(program, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?:\.so|\.node|^node)$/.test(entry.name))
      // Loaded only where the system has Vulkan.
      .filter((entry) => entry.name !== basename(vulkanLibrary('')))
      .map((entry) => join(entry.parentPath, entry.name));
    const own = [...new Set(files.map(dirname))].map((folder) => `-l${folder}`);
    const output = execFileSync(
      'dpkg-shlibdeps',
      ['-O', '--ignore-missing-info', ...own, ...files.map((file) => `-e${file}`)],
      { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    return /^shlibs:Depends=(.+)$/m.exec(output)?.[1] ?? 'libc6';
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

const control = (tree: string, version: string): string =>
  [
    'Package: earshot',
    `Version: ${version}`,
    `Architecture: ${architecture()}`,
    `Maintainer: ${maintainer()}`,
    `Installed-Size: ${Math.ceil(sizeOf(tree) / 1024)}`,
    `Depends: ${libraryPackages(join(tree, 'usr', 'lib', 'earshot'))}, adduser, ffmpeg`,
    'Recommends: chromium | google-chrome-stable | microsoft-edge-stable | www-browser, xdg-utils',
    'Suggests: clamav, libvulkan1, yt-dlp',
    // It has the same command, and a window of its own.
    'Conflicts: earshot-desktop',
    'Replaces: earshot-desktop',
    'Section: sound',
    'Priority: optional',
    `Description: ${SUMMARY}`,
    ' Earshot turns recordings into text with times and speakers, on this machine: a',
    ' window, a command, and an HTTP API on localhost that programs for paid cloud',
    ' services can use instead of them.',
    ' .',
    ' This package has its own Node.js and needs no Electron: the window opens in',
    ' Chromium, Chrome or Edge, else in the default browser. The service for a whole',
    ' server is off until an administrator enables it.',
    '',
  ].join('\n');

const gzip = (path: string): void => {
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  rmSync(path);
};

/** Gives the documents of a package the place and the form that Debian wants. */
export const prepareDocs = (usr: string, { name, version }: { name: string; version: string }): void => {
  const doc = join(usr, 'share', 'doc', name);
  if (name !== 'earshot') renameSync(join(usr, 'share', 'doc', 'earshot'), doc);
  gzip(join(usr, 'share', 'man', 'man1', 'earshot.1'));
  rmSync(join(doc, 'LICENSE'));
  const license = readFileSync(join(root, 'LICENSE'), 'utf8').split('\n\n').slice(2).join('\n\n');
  const indented = license.trimEnd().replace(/^$/gm, '.').replace(/^/gm, ' ');
  const copyright = readFileSync(join(home, 'debian', 'copyright'), 'utf8').trimEnd();
  writeFileSync(join(doc, 'copyright'), `${copyright}\n${indented}\n`);
  const date = new Date().toUTCString().replace('GMT', '+0000');
  writeFileSync(
    join(doc, 'changelog'),
    `${name} (${version}) unstable; urgency=medium\n\n  * See the changelog of Earshot.\n\n -- ${maintainer()}  ${date}\n`,
  );
  gzip(join(doc, 'changelog'));
};

/** Moves what Debian keeps outside of /usr or compresses, and writes the control files. */
const prepare = (tree: string, version: string): void => {
  const usr = join(tree, 'usr');
  mkdirSync(join(usr, 'lib', 'systemd', 'system'), { recursive: true });
  copyFileSync(
    join(home, 'files', 'system.service'),
    join(usr, 'lib', 'systemd', 'system', 'earshot.service'),
  );
  mkdirSync(join(tree, 'etc', 'default'), { recursive: true });
  copyFileSync(join(home, 'files', 'default'), join(tree, 'etc', 'default', 'earshot'));
  prepareDocs(usr, { name: 'earshot', version });
  const overrides = join(usr, 'share', 'lintian', 'overrides');
  mkdirSync(overrides, { recursive: true });
  copyFileSync(join(home, 'debian', 'lintian-overrides'), join(overrides, 'earshot'));
  const meta = join(tree, 'DEBIAN');
  mkdirSync(meta);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    copyFileSync(join(home, 'debian', script), join(meta, script));
    chmodSync(join(meta, script), 0o755);
  }
  writeFileSync(join(meta, 'conffiles'), '/etc/default/earshot\n');
  writeFileSync(join(meta, 'control'), control(tree, version));
};

/** Packs a tree with its control files as a .deb. `compression` is an option of dpkg-deb. */
export const packDeb = (tree: string, file: string, compression = '-Zxz'): void => {
  execFileSync('dpkg-deb', ['--root-owner-group', compression, '--build', tree, `${file}.new`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(`${file}.new`, file);
};

/**
 * Packs a tree (as it lies below /usr) as `earshot_<version>_<architecture>.deb` into `out`. `compression` is an option
 * of dpkg-deb.
 */
export const buildDeb = (
  usr: string,
  { version, out, compression = '-Zxz' }: { version: string; out: string; compression?: string },
): string => {
  const tree = mkdtempSync(join(tmpdir(), 'earshot-deb-'));
  try {
    chmodSync(tree, 0o755);
    cpSync(usr, join(tree, 'usr'), { recursive: true });
    prepare(tree, version);
    const file = join(out, `earshot_${version}_${architecture()}.deb`);
    packDeb(tree, file, compression);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
};
