import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 100;
const PATIENCE_MS = 60_000;

/** Asks again and again until there is an answer; throws when there is none for a minute (or `patienceMs`). */
export const until = async <T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> => {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error('What was waited for did not come.');
    await delay(EVERY_MS);
  }
};
