import { writeFileSync } from 'node:fs';

/*
 * Preloaded into a server (`NODE_OPTIONS=--import=…`): measures how long its event loop was blocked. On SIGUSR2 the longest
 * pause since the last signal, in milliseconds, is written to the file that EARSHOT_TEST_PAUSES names.
 */
const file = process.env.EARSHOT_TEST_PAUSES;
if (file !== undefined && process.argv.includes('serve')) {
  const INTERVAL_MS = 2;
  let longest = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - INTERVAL_MS);
    last = now;
  }, INTERVAL_MS).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, `${longest}\n`);
    longest = 0;
  });
}
