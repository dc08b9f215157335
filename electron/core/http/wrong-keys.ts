import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { sha256Hex } from '../base/ids.ts';

/** Different wrong keys that an address may try before it has to wait. */
const FREE_ATTEMPTS = 20;
const MAX_WAIT_MS = 15 * 60_000;
/** An address starts anew when it sent no new wrong key for this long. */
const FORGET_AFTER_MS = 60 * 60_000;
const MAX_ADDRESSES = 10_000;

type Attempts = {
  /** Hashes of the wrong keys that were counted. */
  readonly keys: Set<string>;
  /** Monotonic time of the latest counted key. */
  latestAt: number;
  /** Monotonic time until which further wrong keys are refused. */
  waitUntil: number;
};

/**
 * Slows down an address that tries API keys: after FREE_ATTEMPTS, each further one doubles the wait before the next,
 * from 1 s to MAX_WAIT_MS. Right keys are never counted nor refused, because several programs share an address. Neither
 * is a wrong key that was counted before: a program with an outdated key guesses nothing.
 */
export class WrongKeys {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By address; the one without attempts for the longest time first. */
  readonly #addresses = new Map<string, Attempts>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts a wrong key. Throws `rate_limited` with `Retry-After` while the address has to wait. */
  count(address: string, key: string): void {
    const now = this.#clock.monotonic();
    const attempts = this.#attemptsOf(address, now);
    const hash = sha256Hex(key);
    if (attempts.keys.has(hash)) return;
    if (now < attempts.waitUntil) {
      const seconds = Math.ceil((attempts.waitUntil - now) / 1000);
      throw new AppError('rate_limited', `Too many wrong API keys. Try again in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    attempts.keys.add(hash);
    attempts.latestAt = now;
    const excess = attempts.keys.size - FREE_ATTEMPTS;
    if (excess >= 0) attempts.waitUntil = now + Math.min(MAX_WAIT_MS, 1000 * 2 ** excess);
    this.#addresses.delete(address);
    this.#addresses.set(address, attempts);
    const oldest = this.#addresses.keys().next();
    if (this.#addresses.size > MAX_ADDRESSES && !oldest.done) this.#addresses.delete(oldest.value);
  }

  #attemptsOf(address: string, now: number): Attempts {
    const known = this.#addresses.get(address);
    return known !== undefined && now - known.latestAt < FORGET_AFTER_MS
      ? known
      : { keys: new Set(), latestAt: now, waitUntil: 0 };
  }
}
