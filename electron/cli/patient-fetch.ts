import { setTimeout as delay } from 'node:timers/promises';
import { printMessage, style } from './terminal.ts';

const TOO_MANY_REQUESTS = 429;
const DEFAULT_WAIT_SECONDS = 5;

/** `fetch` that sends a request again after the time of `Retry-After` where the service has had too many of them. */
export const patientFetch: typeof fetch = async (input, init) => {
  for (let isNoted = false; ; isNoted = true) {
    const response = await fetch(input, init);
    if (response.status !== TOO_MANY_REQUESTS) return response;
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after')) || DEFAULT_WAIT_SECONDS;
    if (!isNoted) {
      printMessage(style('dim', `The service has had many requests. Going on in ${Math.ceil(seconds)} s.`));
    }
    await delay(1000 * seconds, undefined, { signal: init?.signal ?? undefined });
  }
};
