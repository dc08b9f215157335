// Installs, uses, upgrades, removes and purges the .deb of `npm run package:server` in a clean root, then its units in a
// container that systemd boots, and runs lintian. Where `npm run package` has made the desktop's .deb, it is installed beside
// and over the server's first, and its window is started.
//
//   npm run package:verify [-- --suite bookworm --mirror http://deb.debian.org/debian]
//
// Needs root, debootstrap, systemd-nspawn, lintian and a mirror. The lower version that is upgraded from is the same program
// under a lower number.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { LAYOUT } from '../../../electron/core/base/layout.ts';
import { buildDesktopDeb } from '../../desktop/build/deb.ts';
import { buildDeb } from '../build/deb.ts';
import { root } from '../build/tree.ts';
import { runBooted } from './booted.ts';

const LOWER = '0.0.9';
const NOT_PASSED = 'The package did not pass.';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

// With its type, so that what follows a check is narrowed.
const fail: (message: string) => never = (message) => {
  print(message);
  process.exit(1);
};

const isInstalled = (program: string): boolean =>
  ['/usr/bin', '/usr/sbin'].some((folder) => existsSync(join(folder, program)));

/** Throws on errors; overrides say why a tag does not apply. */
const lint = (deb: string): void => {
  const { status, stdout } = spawnSync('lintian', ['--fail-on', 'error', '--allow-root', deb], {
    encoding: 'utf8',
  });
  for (const line of stdout.trim().split('\n').filter(Boolean)) print(`      ${line}`);
  if (status !== 0) throw new Error('lintian found errors');
  print('ok    lintian finds no error');
};

const release = readFileSync('/etc/os-release', 'utf8');
/** The code name of the running release: `bookworm`. */
const runningSuite = /^VERSION_CODENAME=(.+)$/m.exec(release)?.[1] ?? 'bookworm';
const isUbuntu = /^ID=ubuntu$/m.test(release);

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: runningSuite },
    mirror: {
      type: 'string',
      default: isUbuntu ? 'http://archive.ubuntu.com/ubuntu' : 'http://deb.debian.org/debian',
    },
  },
});

if (process.getuid?.() !== 0)
  fail('A clean root can be made by root only: run npm run package:verify as root.');
const NEEDED = { debootstrap: 'debootstrap', 'systemd-nspawn': 'systemd-container', lintian: 'lintian' };
const missing = Object.entries(NEEDED).filter(([program]) => !isInstalled(program));
if (missing.length > 0) {
  const [programs, packages] = [0, 1].map((column) => missing.map((row) => row[column] ?? ''));
  fail(`${programs?.join(' and ')} must be installed: apt-get install ${packages?.join(' ')}`);
}
const server = join(root, 'dist', 'server');
const [deb] = globSync(join(server, '*.deb'));
const [tree] = globSync(join(server, 'earshot-*/'));
if (deb === undefined || tree === undefined) fail('There is no package yet: run npm run package:server.');

const [desktopDeb] = globSync(join(root, 'dist', 'desktop', '*.deb'));
const unpacked = join(
  root,
  'dist',
  'desktop',
  process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`,
);

const work = mkdtempSync(join(tmpdir(), 'earshot-verify-'));
const clean = join(work, 'root');

/** Runs a command in the root, without booting it. Mounts and processes of a name space of their own end with it. */
const runInRoot = (...command: string[]): void => {
  const mounted = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"';
  const options = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', mounted, clean];
  const { status } = spawnSync('unshare', [...options, ...command], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(NOT_PASSED);
};

/** The desktop package in the same root; the lower version that is upgraded from is the same program, too. */
const verifyDesktop = (packed: string, inside: string, serverDeb: string): void => {
  const program = join(tree, 'lib', 'earshot');
  const lowerDesktop = buildDesktopDeb({
    version: LOWER,
    unpacked,
    addon: join(program, LAYOUT.addon.bundled),
    node: join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'),
    out: inside,
    compression: '-Zgzip',
  });
  copyFileSync(packed, join(inside, basename(packed)));
  copyFileSync(join(root, 'packages', 'desktop', 'verify', 'in-root.sh'), join(inside, 'in-root-desktop.sh'));
  const given = [lowerDesktop, packed, serverDeb].map((each) => `/verify/${basename(each)}`);
  runInRoot('sh', '/verify/in-root-desktop.sh', ...given);
  print(`${basename(packed)} passed`);
};

try {
  lint(deb);
  print(`      making a clean ${options.suite} in ${clean}`);
  const systemd = 'dbus,libpam-systemd,systemd,systemd-sysv';
  const components = isUbuntu ? ['--components=main,universe'] : [];
  execFileSync(
    'debootstrap',
    ['--variant=minbase', `--include=${systemd}`, ...components, options.suite, clean, options.mirror],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const inside = join(clean, 'verify');
  mkdirSync(inside);
  const lower = buildDeb(tree, { version: LOWER, out: inside, compression: '-Zgzip' });
  copyFileSync(deb, join(inside, basename(deb)));
  for (const script of ['lib.sh', 'in-root.sh', 'in-boot.sh'])
    copyFileSync(join(import.meta.dirname, script), join(inside, script));
  copyFileSync('/etc/resolv.conf', join(clean, 'etc', 'resolv.conf'));
  if (desktopDeb !== undefined) verifyDesktop(desktopDeb, inside, basename(deb));
  runInRoot('sh', '/verify/in-root.sh', `/verify/${basename(lower)}`, `/verify/${basename(deb)}`);
  // The container has no network: what the package depends on is installed before.
  runInRoot('sh', '-c', '. /verify/lib.sh; install_package "$0"', `/verify/${basename(lower)}`);
  const status = await runBooted(clean, ['sh', '/verify/in-boot.sh', `/verify/${basename(deb)}`]);
  if (status !== 0) throw new Error(NOT_PASSED);
  print(`${basename(deb)} passed`);
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
