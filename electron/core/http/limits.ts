import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { SettingsService } from '../services/settings.ts';

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

const MINUTE = 60_000;

type Kind = 'requests' | 'uploads' | 'deletions' | 'none';

const kindOf = (request: FastifyRequest): Kind => {
  const route = request.routeOptions.config.route;
  if (route === undefined) return 'none';
  return route.limit ?? 'requests';
};

const maximum = (request: FastifyRequest, settings: SettingsService): number => {
  switch (kindOf(request)) {
    case 'uploads':
      return settings.get('limits.uploadsPer15Minutes');
    case 'deletions':
      return settings.get('limits.deletionsPer15Minutes');
    case 'requests':
      return settings.get('limits.requestsPerMinute');
    case 'none':
      return 0;
  }
};

/** Counts uploads by address, deletions by user, and the rest by key (by address if no key is needed). */
const limitKeyOf = (request: FastifyRequest): string => {
  const kind = kindOf(request);
  if (kind === 'uploads') return `uploads:${request.ip}`;
  if (kind === 'deletions') return `deletions:${request.caller?.user.id ?? request.ip}`;
  return `requests:${request.caller?.user.id ?? ''}:${request.caller?.keyPrefix ?? request.ip}`;
};

type LimitOptions = {
  readonly settings: SettingsService;
  readonly clock: Clock;
  /** The key of programs of this machine, such as the command line, which no limit counts. */
  readonly localKeyHash: string;
};

/** Rate limits with `RateLimit-*` and `Retry-After`. Each is a setting that applies at once; 0 switches it off. */
export const addRateLimits = async (
  server: FastifyInstance,
  { settings, clock, localKeyHash }: LimitOptions,
): Promise<void> => {
  await server.register(rateLimit, {
    global: true,
    hook: 'preParsing',
    store: limitStore(clock),
    enableDraftSpec: true,
    timeWindow: (request) => (kindOf(request) === 'requests' ? MINUTE : 15 * MINUTE),
    max: (request) => maximum(request, settings),
    allowList: (request) => maximum(request, settings) === 0 || request.caller?.keyHash === localKeyHash,
    keyGenerator: limitKeyOf,
    errorResponseBuilder: (_request, context) =>
      new AppError(
        'rate_limited',
        `Too many requests: at most ${context.max} in this time. Try again in ${context.after}.`,
      ),
  });
};
