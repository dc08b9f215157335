import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const isInstalled = (program: string): boolean =>
  existsSync(`/usr/bin/${program}`) || existsSync(`/usr/sbin/${program}`);

/** Whether the programs are installed. As root on Debian, installs their packages first; elsewhere tests are skipped. */
export const ensurePrograms = (programs: readonly string[], packages: readonly string[]): boolean => {
  const complete = () => programs.every(isInstalled);
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
    // The package lists may be outdated, or there is no network.
    try {
      apt('update');
      apt(...install);
    } catch {
      return false;
    }
  }
  return complete();
};
