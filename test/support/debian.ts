import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const isThere = (program: string): boolean =>
  existsSync(`/usr/bin/${program}`) || existsSync(`/usr/sbin/${program}`);

/**
 * Whether these programs are there. On a Debian machine where the test runs as root their packages are installed;
 * elsewhere the tests that need them are reported as skipped.
 */
export const ensurePrograms = (programs: readonly string[], packages: readonly string[]): boolean => {
  const complete = () => programs.every(isThere);
  if (complete()) return true;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const apt = (...args: string[]) =>
    execFileSync('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: 'ignore',
    });
  const install = ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends', ...packages];
  try {
    apt(...install);
  } catch {
    // The lists may be older than the archive. A machine without a network has neither.
    try {
      apt('update');
      apt(...install);
    } catch {
      return false;
    }
  }
  return complete();
};
