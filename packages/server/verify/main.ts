// Installs, uses, upgrades, removes and purges the .deb of `npm run package:server` in a clean root, and runs lintian.
//
//   npm run package:verify [-- --suite bookworm --mirror http://deb.debian.org/debian]
//
// Needs root, debootstrap, lintian and a Debian mirror. The lower version that is upgraded from is the same program under
// a lower number.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDeb } from '../build/deb.ts';
import { root } from '../build/tree.ts';

const LOWER = '0.0.9';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const fail = (message: string): never => {
  print(message);
  process.exit(1);
};

const isInstalled = (program: string): boolean =>
  ['/usr/bin', '/usr/sbin'].some((folder) => existsSync(join(folder, program)));

/** Errors fail; overrides say why a tag does not apply. */
const lint = (deb: string): void => {
  const { status, stdout } = spawnSync('lintian', ['--fail-on', 'error', '--allow-root', deb], {
    encoding: 'utf8',
  });
  for (const line of stdout.trim().split('\n').filter(Boolean)) print(`      ${line}`);
  if (status !== 0) fail('FAIL  lintian found errors');
  print('ok    lintian finds no error');
};

/** The code name of the running release: `bookworm`. */
const runningSuite = (): string =>
  /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm';

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: runningSuite() },
    mirror: { type: 'string', default: 'http://deb.debian.org/debian' },
  },
});

if (process.getuid?.() !== 0)
  fail('A clean root can be made by root only: run npm run package:verify as root.');
const missing = ['debootstrap', 'lintian'].filter((program) => !isInstalled(program));
if (missing.length > 0)
  fail(`${missing.join(' and ')} must be installed: apt-get install ${missing.join(' ')}`);
const server = join(root, 'dist', 'server');
const [deb] = globSync(join(server, '*.deb'));
const [tree] = globSync(join(server, 'earshot-*/'));
if (deb === undefined || tree === undefined)
  throw new Error('There is no package yet: run npm run package:server.');

const work = mkdtempSync(join(tmpdir(), 'earshot-verify-'));
const clean = join(work, 'root');
try {
  lint(deb);
  print(`      making a clean ${options.suite} in ${clean}`);
  execFileSync('debootstrap', ['--variant=minbase', options.suite, clean, options.mirror], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const inside = join(clean, 'verify');
  mkdirSync(inside);
  const lower = buildDeb(tree, { version: LOWER, out: inside, compression: '-Zgzip' });
  copyFileSync(deb, join(inside, basename(deb)));
  copyFileSync(join(import.meta.dirname, 'in-root.sh'), join(inside, 'in-root.sh'));
  copyFileSync('/etc/resolv.conf', join(clean, 'etc', 'resolv.conf'));
  // Mounts and processes of a name space of their own end with it.
  const mounted = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" sh "$@"';
  const { status } = spawnSync(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', mounted, clean],
      ...['/verify/in-root.sh', `/verify/${basename(lower)}`, `/verify/${basename(deb)}`],
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0) fail('The package did not pass.');
  print(`${basename(deb)} passed`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
