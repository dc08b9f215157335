import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { SettingsService } from '../services/settings.ts';
import { limitStore } from './limit-store.ts';

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

/** Counts uploads by address, deletions by user, and the rest by key (by address where no key is needed). */
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
