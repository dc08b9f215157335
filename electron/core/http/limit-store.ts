import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { Clock } from '../base/clock.ts';

/** The least recently counted key is forgotten beyond this number. */
const MAX_KEYS = 10_000;

type Window = { readonly startedAt: number; count: number };

/** Windows of the rate limits on the monotonic clock; the plugin's own store would keep them shut when the time is set back. */
export const limitStore = (clock: Pick<Clock, 'monotonic'>): FastifyRateLimitStoreCtor =>
  class LimitStore implements FastifyRateLimitStore {
    readonly #windows = new Map<string, Window>();

    incr(...[key, callback, windowMs]: Parameters<FastifyRateLimitStore['incr']>): void {
      const now = clock.monotonic();
      const known = this.#windows.get(key);
      const window =
        known !== undefined && now - known.startedAt < windowMs ? known : { startedAt: now, count: 0 };
      window.count += 1;
      this.#windows.delete(key);
      this.#windows.set(key, window);
      const oldest = this.#windows.keys().next();
      if (this.#windows.size > MAX_KEYS && !oldest.done) this.#windows.delete(oldest.value);
      callback(null, { current: window.count, ttl: windowMs - (now - window.startedAt) });
    }

    child(): FastifyRateLimitStore {
      return this;
    }
  };
