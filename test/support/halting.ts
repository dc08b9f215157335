/*
 * Halts its parent and random processes below it, for a random time up to `longest` milliseconds, as the scheduler of a busy
 * machine does: `node test/support/halting.ts <longest>`. Shows what leans on one process being faster than another. All go on
 * when it gets SIGTERM, and when its parent has ended. On Linux alone.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { descendants } from './processes.ts';

const EVERY_MS = 10;
const LOOK_EVERY_MS = 400;
/** So many are halted at most, and of few processes a quarter, since the last test of a run would hardly move. */
const MOST = 2;

const root = process.ppid;
const longest = Number(process.argv[2]);
if (!(longest > 0)) throw new Error('usage: halting.ts <longest in milliseconds>');

/** When each halted process goes on. */
const halted = new Map<number, number>();
const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
};

/** Whether a test itself has not halted it. */
const isRunning = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return 'RSD'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
};

const goOn = (now: number): void => {
  for (const [pid, until] of halted) {
    if (until > now) continue;
    halted.delete(pid);
    signal(pid, 'SIGCONT');
  }
};
process.once('SIGTERM', () => process.exit());
process.once('exit', () => goOn(Number.POSITIVE_INFINITY));

let pids: number[] = [];
for (let looked = Number.NEGATIVE_INFINITY; process.ppid === root; await delay(EVERY_MS)) {
  const now = performance.now();
  goOn(now);
  if (now - looked > LOOK_EVERY_MS) {
    looked = now;
    pids = [root, ...descendants(root).map(({ pid }) => pid)].filter((pid) => pid !== process.pid);
  }
  const pid = pids[Math.floor(Math.random() * pids.length)];
  if (pid === undefined || halted.size >= Math.min(MOST, pids.length / 4) || !isRunning(pid)) continue;
  // Short ones mostly: a third power.
  halted.set(pid, now + longest * Math.random() ** 3);
  signal(pid, 'SIGSTOP');
}
