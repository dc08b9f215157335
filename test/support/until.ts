import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 100;
const TIMEOUT_MS = 180_000;

/** Polls `ask` every `intervalMs` until it returns a value other than undefined and false; throws after `timeoutMs`. */
export const until = async <T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = TIMEOUT_MS,
  intervalMs = INTERVAL_MS,
): Promise<T> => {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error('The expected condition did not come true in time.');
    await delay(intervalMs);
  }
};
