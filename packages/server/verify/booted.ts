import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const BOOT_LIMIT_MS = 120_000;
const POLL_MS = 200;

/** The id of the container's first process, once there is one. */
const firstProcess = ({ pid }: ChildProcess): string | undefined =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] || undefined;

const runInside = (pid: string, command: readonly string[], stdio: 'ignore' | 'inherit'): number | null =>
  spawnSync('nsenter', ['--target', pid, '--all', ...command], { stdio: ['ignore', stdio, stdio] }).status;

/** Waits until systemd has started everything; returns the id of its process. */
const untilBooted = async (container: ChildProcess, logFile: string): Promise<string> => {
  const limit = Date.now() + BOOT_LIMIT_MS;
  while (Date.now() < limit && container.exitCode === null) {
    const pid = firstProcess(container);
    if (pid !== undefined && runInside(pid, ['systemctl', 'is-system-running', '--quiet'], 'ignore') === 0)
      return pid;
    await delay(POLL_MS);
  }
  throw new Error(`systemd did not start:\n${readFileSync(logFile, 'utf8').slice(-4000)}`);
};

/** Boots a root with its systemd in a container without a network, runs a command there, and returns its exit code. */
export const runBooted = async (root: string, command: readonly string[]): Promise<number | null> => {
  const logFile = `${root}.log`;
  const log = openSync(logFile, 'w');
  const options = ['--boot', '--private-network', '--register=no', '--keep-unit', '--resolv-conf=off'];
  const container = spawn('systemd-nspawn', ['--directory', root, ...options, '--link-journal=no'], {
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(container, 'exit');
  try {
    const pid = await untilBooted(container, logFile);
    return runInside(pid, command, 'inherit');
  } finally {
    // A container that does not halt is ended by the second signal.
    container.kill('SIGTERM');
    const hasEnded = await Promise.race([
      ended.then(() => true),
      delay(BOOT_LIMIT_MS, false, { ref: false }),
    ]);
    if (!hasEnded) container.kill('SIGTERM');
    await ended;
  }
};
