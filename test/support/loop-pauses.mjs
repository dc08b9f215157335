import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Preloaded into a server (`NODE_OPTIONS=--import=…`): measures for how long work blocked its event loop. On SIGUSR2 the longest
 * pause since the last signal, in milliseconds, is written to the file that EARSHOT_TEST_PAUSES names. A pause is the
 * processor time that the thread took between two turns of the loop: other programs on a busy machine do not count, nor does
 * what a page fault costs beyond ORDINARY_FAULT_MS. A virtual machine that takes SLOW_FAULT_MS or more for a fault keeps page
 * tables in software: forking the server takes it 20 to 100 ms, and collecting garbage longer, too. A pause counts half there.
 */
const file = process.env.EARSHOT_TEST_PAUSES;
if (file !== undefined && process.argv.includes('serve')) {
  const INTERVAL_MS = 2;
  /** More than a page fault takes on a machine of one's own. */
  const ORDINARY_FAULT_MS = 0.001;
  const SLOW_FAULT_MS = 0.005;
  const PAGE = 4096;
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  /** Page faults of this thread so far that needed no disk. */
  const faultsSoFar = () => {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[7]);
  };
  /** What a page fault costs here beyond an ordinary one; the least of some tries. */
  const excessOfFault = () => {
    const costs = Array.from({ length: 5 }, () => {
      const memory = Buffer.allocUnsafeSlow(2048 * PAGE);
      const [time, faults] = [usedMs(), faultsSoFar()];
      for (let at = 0; at < memory.length; at += PAGE) memory[at] = 1;
      return (usedMs() - time) / Math.max(1, faultsSoFar() - faults);
    });
    return Math.max(0, Math.min(...costs) - ORDINARY_FAULT_MS);
  };
  const excess = process.platform === 'linux' ? excessOfFault() : 0;
  const share = excess > SLOW_FAULT_MS ? 0.5 : 1;
  let longest = 0;
  let last = usedMs();
  let lastFaults = excess > 0 ? faultsSoFar() : 0;
  setInterval(() => {
    const now = usedMs();
    const faults = excess > 0 ? faultsSoFar() : 0;
    longest = Math.max(longest, now - last - (faults - lastFaults) * excess);
    last = now;
    lastFaults = faults;
  }, INTERVAL_MS).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, `${longest * share}\n`);
    longest = 0;
  });
}
