import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { sha256Hex } from '../base/ids.ts';
import type { AccountService } from '../services/accounts.ts';
import type { SettingsService } from '../services/settings.ts';
import type { BucketCors } from './v1/storage.ts';

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

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a Host header names this machine by its loopback address. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.has(hostName(host));

/** `example.com:3277` → `example.com`; `[::1]:80` → `[::1]`. */
const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, '');

/** Headers that scripts of an allowed origin may read. */
const EXPOSED = [
  ...['Accept-Ranges', 'Content-Disposition', 'Content-Length', 'Content-Range', 'ETag', 'Last-Modified'],
  ...['Location', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'X-Request-Id'],
].join(', ');
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

type GuardOptions = {
  readonly accounts: AccountService;
  readonly wrongKeys: WrongKeys;
  readonly settings: SettingsService;
  /** The host that the server binds to. */
  readonly boundHost: string;
  /** Decides about requests for stored files from other web origins. */
  readonly bucket: BucketCors;
};

const isAnyAddress = (host: string) => host === '0.0.0.0' || host === '::' || host === '[::]';

/** Whether a Host header names this server. Refusing others prevents DNS rebinding (as in CVE-2024-28224). */
const isOwnHost = (host: string, { settings, boundHost }: GuardOptions): boolean => {
  const name = hostName(host);
  return (
    LOOPBACK.has(name) ||
    (!isAnyAddress(boundHost) && name === boundHost.toLowerCase()) ||
    settings.get('network.allowedHosts').some((allowed) => allowed.toLowerCase() === name)
  );
};

const isOwnOrigin = (origin: string, request: FastifyRequest, options: GuardOptions): boolean => {
  if (!URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  return protocol === 'http:' && host === request.headers.host?.toLowerCase() && isOwnHost(host, options);
};

const isAllowedOrigin = (origin: string, { settings }: GuardOptions): boolean =>
  settings.get('network.allowedOrigins').some((allowed) => allowed === origin);

const bearerOf = (request: FastifyRequest): string | undefined => {
  const authorization = request.headers.authorization ?? '';
  const bare =
    request.routeOptions.config.route?.bareKey === true ? /^(\S+)$/.exec(authorization)?.[1] : undefined;
  return bare ?? /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
};

/** Headers of requests that browsers make, or that another server passes on for somebody else. */
const NOT_LOCAL = ['origin', 'sec-fetch-site', 'forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

const isLoopbackAddress = (address: string): boolean => /^(?:(?:::ffff:)?127\.|::1$)/.test(address);

/** Whether a program of this computer calls without a key if the owner allows that. */
const isKeylessProgram = (
  { headers, ip, routeOptions }: FastifyRequest,
  { settings }: GuardOptions,
): boolean =>
  routeOptions.config.route?.keyless === true &&
  settings.get('network.keylessPrograms') &&
  headers.authorization === undefined &&
  isLoopbackAddress(ip) &&
  LOOPBACK.has(hostName(headers.host ?? '')) &&
  NOT_LOCAL.every((name) => headers[name] === undefined);

const keyNeeded = (request: FastifyRequest): string => {
  if (request.headers.authorization !== undefined) return 'This API key is not valid.';
  const other =
    request.routeOptions.config.route?.keyless === true
      ? ' The setting network.keylessPrograms lets programs on this computer connect without one.'
      : '';
  return `An API key is needed: send it as \`Authorization: Bearer <key>\`.${other}`;
};

const authenticate = (request: FastifyRequest, options: GuardOptions): void => {
  const { accounts, wrongKeys } = options;
  const access = request.routeOptions.config.route?.access ?? 'none';
  const key = bearerOf(request);
  request.caller = key === undefined ? undefined : accounts.authenticate(key);
  if (key !== undefined && request.caller === undefined) wrongKeys.count(request.ip, key);
  if (access === 'none' || access === 'own') return;
  if (isKeylessProgram(request, options)) request.caller = accounts.keylessProgram();
  if (request.caller === undefined) throw new AppError('unauthorized', keyNeeded(request));
  if (access === 'owner' && !request.caller.user.isOwner) {
    throw new AppError('forbidden', 'Only a key of the owner may do this.');
  }
};

const checkOrigin = (request: FastifyRequest, reply: FastifyReply, options: GuardOptions): void => {
  const { origin } = request.headers;
  if (origin === undefined || isOwnOrigin(origin, request, options) || isAllowedOrigin(origin, options))
    return;
  const route = request.routeOptions.config.route;
  const isObject = route?.cors === 'bucket';
  if (isObject && options.bucket.allow(request, reply, origin)) return;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isHarmless =
    isRead && (route?.access === 'none' || (isObject && options.bucket.isPublic(request.url)));
  if (!isHarmless) {
    throw new AppError(
      'origin_not_allowed',
      'This web origin may not call this server. The setting network.allowedOrigins lets it in.',
    );
  }
};

/** Checks Host, Origin and API key before a byte of the body is read. */
export const addGuards = (server: FastifyInstance, options: GuardOptions): void => {
  server.decorateRequest('caller', undefined);

  server.addHook('onRequest', async (request, reply) => {
    if (!isOwnHost(request.headers.host ?? '', options)) {
      throw new AppError(
        'misdirected_request',
        'This server does not answer to that Host name. The setting network.allowedHosts adds names.',
      );
    }
    const { origin } = request.headers;
    if (origin !== undefined && isAllowedOrigin(origin, options)) {
      reply.header('access-control-allow-origin', origin).header('vary', 'Origin');
      reply.header('access-control-expose-headers', EXPOSED);
    }
    if (request.method === 'OPTIONS') return;
    if (options.bucket.isObject(request.url)) reply.header('vary', 'Origin');
    checkOrigin(request, reply, options);
    authenticate(request, options);
  });

  const preflight = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { origin } = request.headers;
    reply.header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers');
    // No preflight: a client asks what it may do.
    if (origin === undefined) return reply.code(204).header('allow', `${METHODS}, OPTIONS`).send();
    if (isAllowedOrigin(origin, options)) return sendPreflight(request, reply);
    if (options.bucket.isObject(request.url)) {
      return options.bucket.preflight(request, reply, origin);
    }
    throw new AppError('origin_not_allowed', 'This web origin may not call this server.');
  };
  server.options('/v1/*', preflight);
  server.options('/cdn/*', preflight);
  server.options('/v2/*', preflight);
  server.options('/mcp', preflight);
};

/** Allows every header that was asked for: SDKs send many of their own, and the names of the next version are not known. */
const sendPreflight = ({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  return reply
    .code(204)
    .header('access-control-allow-methods', METHODS)
    .header('access-control-max-age', '3600')
    .send();
};
