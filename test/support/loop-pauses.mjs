import { writeFileSync } from 'node:fs';

/*
 * Preloaded into a server (`NODE_OPTIONS=--import=…`): measures for how long work blocked its event loop. On SIGUSR2 the longest
 * pause since the last signal, in milliseconds, is written to the file that EARSHOT_TEST_PAUSES names. A pause is the
 * processor time that the thread took between two turns of the loop: other programs on a busy machine do not count.
 */
const file = process.env.EARSHOT_TEST_PAUSES;
if (file !== undefined && process.argv.includes('serve')) {
  const INTERVAL_MS = 2;
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = usedMs();
  setInterval(() => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, INTERVAL_MS).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, `${longest}\n`);
    longest = 0;
  });
}
