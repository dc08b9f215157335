import { connect, isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Cookie, Dispatcher } from 'undici';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../contract/settings.ts';
import type { ConnectionPurpose } from '../../../contract/system.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { withoutLogin } from '../../base/url-login.ts';
import { allowedAddresses, systemResolve } from './address-guard.ts';
import {
  CONNECT_TIMEOUT_SECONDS,
  createPools,
  EnvironmentProxies,
  fixedLookup,
  type GuardedAgent,
  isLiteralHost,
  isRefusedHead,
  MAX_REMEMBERED_ORIGINS,
  type Pools,
} from './guarded-agent.ts';
import { explainNetworkError, SlowBodyError } from './network-errors.ts';
import type {
  ConnectionRecord,
  HttpClient,
  HttpClientOptions,
  MinRate,
  OpenedResponse,
  OpenOptions,
  Resolve,
  ResolvedAddress,
  TunnelOptions,
} from './types.ts';

/** The source is paused while this many bytes wait for a slower reader. */
const HIGH_WATER = 256 * 1024;

type BodyOptions = {
  readonly source: Readable;
  readonly minRate?: MinRate;
  /** Converts the source's error into the one that the reader gets. */
  readonly explain: (error: unknown) => Error;
  /** Called once, when the reader has read everything or has closed the stream. */
  readonly onClose: (bytes: number, failure: Error | null) => void;
};

/** Measures a source's rate over the time that its reader waits for it. */
class RateMeter {
  readonly #minRate: MinRate;
  #waitedMs = 0;
  #bytes = 0;

  constructor(minRate: MinRate) {
    this.#minRate = minRate;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Calls `onSlow` once the source has been too slow for long enough; returns a function that ends the wait. */
  startWait(onSlow: (minRate: MinRate) => void): () => void {
    const { bytesPerSecond, overSeconds } = this.#minRate;
    // Here and not where a wait ends: more can arrive between two waits.
    if (this.#bytes >= bytesPerSecond * overSeconds) {
      this.#waitedMs = 0;
      this.#bytes = 0;
    }
    const startedAt = performance.now();
    const timer = setTimeout(() => onSlow(this.#minRate), overSeconds * 1000 - this.#waitedMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
      this.#waitedMs += performance.now() - startedAt;
    };
  }
}

/**
 * Delivers everything that arrived before an error, then the error. A Node stream that fails discards its buffer, and
 * crashes the program if no one listens for `error` yet.
 */
class BodyQueue implements AsyncIterableIterator<Buffer> {
  readonly #options: BodyOptions;
  readonly #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #bytes = 0;
  #isEnded = false;
  #isClosed = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  readonly #meter: RateMeter | null;

  constructor(options: BodyOptions) {
    this.#options = options;
    const { source, minRate } = options;
    this.#meter = minRate === undefined ? null : new RateMeter(minRate);
    source.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#meter?.add(chunk.length);
      this.#bufferedBytes += chunk.length;
      this.#chunks.push(chunk);
      if (this.#bufferedBytes >= HIGH_WATER) source.pause();
      this.#wakeReader();
    });
    source.on('end', () => this.#finish(null));
    source.on('error', (error) => this.#finish(error));
    source.on('close', () => this.#finish(new Error('closed early')));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && !this.#isEnded && !this.#isClosed) {
      const endWait = this.#meter?.startWait((minRate) => this.#finish(new SlowBodyError(minRate)));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      endWait?.();
    }
    // Closed while it waited: a normal end would look like the end of the file.
    if (this.#isClosed) throw new Error('The body was closed before its end.');
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bufferedBytes -= chunk.length;
      if (this.#bufferedBytes < HIGH_WATER) this.#options.source.resume();
      return { value: chunk, done: false };
    }
    const failure = this.#failure;
    this.#close();
    if (failure !== null) throw failure;
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#close();
    return { value: undefined, done: true };
  }

  #finish(failure: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure === null ? null : this.#options.explain(failure);
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks.length = 0;
    this.#wakeReader();
    this.#options.source.destroy();
    this.#options.onClose(this.#bytes, this.#failure);
  }
}

/** A stream that delivers everything that its source did before it failed. */
export const bodyStream = (options: BodyOptions): Readable =>
  // One chunk at a time: an error would discard what this stream has buffered.
  Readable.from(new BodyQueue(options), { objectMode: false, highWaterMark: 1 });

/** Most cookies that one chain of redirects can set; browsers keep 180 of a site. */
const MAX_COOKIES = 50;

type StoredCookie = {
  readonly pair: string;
  readonly domain: string;
  /** Whether it was set without Domain: then subdomains do not get it. */
  readonly isHostOnly: boolean;
  readonly path: string;
  readonly isSecure: boolean;
};

const isWithin = (host: string, domain: string): boolean =>
  host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));

/** RFC 6265, 5.1.4. */
const defaultPath = ({ pathname }: URL): string => pathname.slice(0, pathname.lastIndexOf('/')) || '/';

const isPathWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/**
 * The cookies of one chain of redirects, as a browser with an empty jar would send them (RFC 6265): to the host that set them,
 * to its subdomains if they name a domain, below their path, and over TLS alone if they say so. They end with the chain, so a
 * list of public suffixes is not needed.
 */
class RedirectCookies {
  readonly #cookies = new Map<string, StoredCookie>();

  get isEmpty(): boolean {
    return this.#cookies.size === 0;
  }

  /** Takes the cookies that a response sets. */
  store(url: URL, cookies: readonly Cookie[]): void {
    for (const cookie of cookies) this.#storeOne(url, cookie);
  }

  /** The Cookie header of a request; empty if there is nothing to send. */
  headerFor(url: URL): { readonly cookie?: string } {
    const pairs = [...this.#cookies.values()].flatMap(({ pair, domain, isHostOnly, path, isSecure }) => {
      const isForHost = isHostOnly ? url.hostname === domain : isWithin(url.hostname, domain);
      const isForUrl =
        isForHost && isPathWithin(url.pathname, path) && (!isSecure || url.protocol === 'https:');
      return isForUrl ? [pair] : [];
    });
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  #storeOne(url: URL, cookie: Cookie): void {
    const named = (cookie.domain ?? '').replace(/^\./, '').toLowerCase();
    if (named !== '' && !(isWithin(url.hostname, named) && (named.includes('.') || named === url.hostname))) {
      return;
    }
    const isSecure = cookie.secure === true;
    if (isSecure && url.protocol !== 'https:') return;
    const domain = named === '' ? url.hostname : named;
    const path = cookie.path?.startsWith('/') === true ? cookie.path : defaultPath(url);
    const key = JSON.stringify([domain, path, cookie.name]);
    const expires = cookie.expires === undefined ? Number.POSITIVE_INFINITY : Number(cookie.expires);
    const isExpired = cookie.maxAge === undefined ? expires <= Date.now() : cookie.maxAge <= 0;
    if (isExpired) this.#cookies.delete(key);
    else if (this.#cookies.size < MAX_COOKIES || this.#cookies.has(key)) {
      const pair = `${cookie.name}=${cookie.value}`;
      this.#cookies.set(key, { pair, domain, isHostOnly: named === '', path, isSecure });
    }
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Parses an http or https URL. Throws `download_failed` for anything else. */
export const parseWebUrl = (text: string, base?: string): URL => {
  const url = URL.canParse(text, base) ? new URL(text, base) : null;
  if (url === null) throw new AppError('download_failed', 'The address is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AppError('download_failed', `Only http and https can be fetched, not ${url.protocol}//`);
  }
  return url;
};

const flattenHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value] as const],
    ),
  );

/** A stray percent sign in a login stands for itself. */
const decodeLogin = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const basicAuthorization = (url: URL): Record<string, string> => {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeLogin(url.username)}:${decodeLogin(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
};

type Hop = {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | null;
};

type HopResponse = Omit<OpenedResponse, 'movedTo'>;

type HopContext = {
  readonly purpose: ConnectionPurpose;
  readonly stallSeconds: number;
  readonly signal: AbortSignal | undefined;
  readonly minRate: MinRate | undefined;
  readonly cookies: RedirectCookies;
};

/** Percent-encodes raw bytes, which undici reads as Latin-1 and servers mean as UTF-8, as browsers do. */
const encodeRawBytes = (location: string): string =>
  location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** The request after a redirect. Credentials are not sent to another origin. */
const redirectedHop = (hop: Hop, status: number, location: string): Hop => {
  const url = parseWebUrl(encodeRawBytes(location), hop.url.href);
  const becomesGet = status === 303 || (hop.method === 'POST' && (status === 301 || status === 302));
  const isSameOrigin = url.origin === hop.url.origin;
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(
      ([name]) => isSameOrigin || !['authorization', 'cookie'].includes(name.toLowerCase()),
    ),
  );
  return becomesGet && hop.method !== 'HEAD'
    ? { url, method: 'GET', headers, body: null }
    : { url, method: hop.method, headers, body: hop.body };
};

const offlineError = (host: string): AppError =>
  new AppError('offline', `Offline mode is on, so nothing was fetched from ${host}.`);

/** Connects a socket to one of these addresses. */
const connectSocket = (
  { host, port, signal }: Pick<TunnelOptions, 'host' | 'port' | 'signal'>,
  allowed: readonly ResolvedAddress[],
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: fixedLookup(allowed), autoSelectFamily: true, signal });
    socket.setTimeout(CONNECT_TIMEOUT_SECONDS * 1000, () =>
      socket.destroy(Object.assign(new Error('The connection takes too long.'), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });

class GuardedHttpClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #proxies: EnvironmentProxies;
  readonly #resolve: Resolve;
  /** Undefined before the first request. */
  #pools: Promise<Pools> | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? systemResolve;
    this.#proxies = new EnvironmentProxies(options.environment ?? {});
  }

  async open(options: OpenOptions): Promise<OpenedResponse> {
    const { purpose, signal, stallSeconds = DEFAULT_NETWORK_STALL_SECONDS, minRate } = options;
    const context: HopContext = {
      purpose,
      stallSeconds,
      signal,
      // A pause that the stall timeout allows is not too slow.
      minRate: minRate && { ...minRate, overSeconds: Math.max(minRate.overSeconds, 2 * stallSeconds) },
      cookies: new RedirectCookies(),
    };
    const maxRedirects = options.maxRedirects ?? 5;
    const url = parseWebUrl(options.url);
    let hop: Hop = {
      url,
      method: options.method ?? 'GET',
      headers: { ...basicAuthorization(url), ...options.headers },
      body: options.body ?? null,
    };
    // The address of every hop is checked when its socket connects, see `createAgent`.
    for (let followed = 0; ; followed++) {
      const response = await this.#send(hop, context);
      const location = response.headers.location;
      if (!REDIRECTS.has(response.status) || location === undefined || maxRedirects === 0) {
        return { ...response, movedTo: followed > 0 && context.cookies.isEmpty ? response.url : null };
      }
      response.body.destroy();
      if (followed === maxRedirects) {
        throw new AppError(
          'download_failed',
          `${url.host} redirects more than ${maxRedirects} times, without ever sending the file.`,
        );
      }
      hop = redirectedHop(hop, response.status, location);
    }
  }

  async close(): Promise<void> {
    const pools = await this.#pools;
    await Promise.all([
      pools?.publicOnly.agent.destroy(),
      pools?.publicOnly.repairing.destroy(),
      pools?.unrestricted.agent.destroy(),
      pools?.unrestricted.repairing.destroy(),
      this.#proxies.close(),
    ]);
  }

  async tunnel({ host, port, purpose, signal }: TunnelOptions): Promise<Socket> {
    throwIfAborted(signal);
    const { offline, allowPrivateAddresses } = this.#options.policy();
    const name = port === 443 ? host : `${host}:${port}`;
    const record = (rest: Pick<ConnectionRecord, 'address' | 'bytes' | 'error'>) =>
      this.#options.onConnection?.({ host: name, purpose, ...rest });
    try {
      if (offline) throw offlineError(name);
      const allowed = await allowedAddresses(host, allowPrivateAddresses, this.#resolve);
      const socket = await connectSocket({ host, port, signal }, allowed);
      const address = socket.remoteAddress ?? null;
      socket.once('close', () => record({ address, bytes: socket.bytesRead, error: null }));
      return socket;
    } catch (error) {
      const explained = explainNetworkError(error, {
        host: name,
        stallSeconds: CONNECT_TIMEOUT_SECONDS,
        signal,
      });
      record({ address: null, bytes: 0, error: explained.message });
      throw explained;
    }
  }

  #record(hop: Hop, context: HopContext, rest: Pick<ConnectionRecord, 'address' | 'bytes' | 'error'>): void {
    this.#options.onConnection?.({ host: hop.url.host, purpose: context.purpose, ...rest });
  }

  async #send(hop: Hop, context: HopContext): Promise<HopResponse> {
    throwIfAborted(context.signal);
    this.#pools ??= createPools(this.#resolve);
    const { publicOnly, unrestricted, parseCookie } = await this.#pools;
    const policy = this.#options.policy();
    // Origins from the owner's settings may be private: the language model's, usually on this machine, and a mirror's.
    const isConfigured =
      context.purpose === 'llm' || (context.purpose === 'model' && policy.modelOrigin === hop.url.origin);
    const allowPrivate = policy.allowPrivateAddresses || isConfigured;
    const guarded = allowPrivate ? unrestricted : publicOnly;
    const { addressOf } = guarded;
    const explain = (error: unknown): AppError =>
      explainNetworkError(error, { host: hop.url.host, ...context });
    try {
      if (policy.offline) throw offlineError(hop.url.host);
      const agent = await this.#agentFor(hop.url, context, guarded, allowPrivate);
      const response = await this.#request(agent, guarded, hop, context);
      const setCookie = [response.headers['set-cookie'] ?? []].flat();
      context.cookies.store(
        hop.url,
        setCookie.flatMap((header) => parseCookie(header) ?? []),
      );
      return this.#openedResponse(hop, context, response, addressOf(hop.url.origin), explain);
    } catch (error) {
      const explained = explain(error);
      this.#record(hop, context, {
        address: isAppError(error) ? null : addressOf(hop.url.origin),
        bytes: 0,
        error: explained.message,
      });
      throw explained;
    }
  }

  /** Sends a request; again, with the head of its response repaired, if a pool of ours cannot parse that. */
  async #request(
    agent: Dispatcher,
    { agent: own, repairing, needsRepair }: GuardedAgent,
    hop: Hop,
    context: HopContext,
  ): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = hop.url;
    const request: Dispatcher.RequestOptions = {
      origin,
      path: `${pathname}${search}`,
      method: hop.method,
      headers: {
        'user-agent': `Earshot/${this.#options.version}`,
        'accept-encoding': 'identity',
        accept: '*/*',
        ...context.cookies.headerFor(hop.url),
        ...hop.headers,
      },
      body: hop.body,
      headersTimeout: context.stallSeconds * 1000,
      bodyTimeout: context.stallSeconds * 1000,
      signal: context.signal ?? null,
    };
    const canRepair = agent === own && hop.method !== 'POST';
    if (!canRepair || !needsRepair.has(origin)) {
      try {
        return await agent.request(request);
      } catch (error) {
        if (!canRepair || !isRefusedHead(error)) throw error;
      }
    }
    const response = await repairing.request({ ...request, reset: true });
    if (needsRepair.size >= MAX_REMEMBERED_ORIGINS) needsRepair.clear();
    needsRepair.add(origin);
    return response;
  }

  /**
   * The pool for a URL. Only models go through a proxy of the environment: their content is verified and their origin is the
   * owner's choice. A proxy resolves names itself, so the address rule could not hold for URLs from requests.
   */
  async #agentFor(
    { hostname, protocol }: URL,
    { purpose }: HopContext,
    { agent, options }: GuardedAgent,
    allowPrivate: boolean,
  ): Promise<Dispatcher> {
    const proxied = purpose === 'model' ? await this.#proxies.agent(protocol, options) : undefined;
    if (proxied === undefined) return agent;
    if (!allowPrivate) await this.#checkProxied(hostname.replace(/^\[|\]$/g, ''));
    return proxied;
  }

  /**
   * Throws AppError `address_not_allowed` for a host whose private address is known here: one that the settings do not name,
   * but a redirect. Whether a host that only the proxy can resolve is private, only the proxy knows.
   */
  async #checkProxied(host: string): Promise<void> {
    try {
      await allowedAddresses(host, false, this.#resolve);
    } catch (error) {
      const isUnknown = isAppError(error) && error.code === 'download_failed';
      if (!isUnknown || isLiteralHost(host)) throw error;
    }
  }

  #openedResponse(
    hop: Hop,
    context: HopContext,
    response: Dispatcher.ResponseData,
    address: string | null,
    explain: (error: unknown) => AppError,
  ): HopResponse {
    const body = bodyStream({
      source: response.body,
      minRate: context.minRate,
      explain,
      onClose: (bytes, failure) =>
        this.#record(hop, context, { address, bytes, error: failure?.message ?? null }),
    });
    // The reader gets the error; without this listener a broken connection would crash the program before that.
    body.on('error', () => {});
    return {
      status: response.statusCode,
      headers: flattenHeaders(response.headers),
      url: withoutLogin(hop.url.href),
      body,
    };
  }
}

/** Creates the HTTP client that makes all outbound requests of the program. */
export const createHttpClient = (options: HttpClientOptions): HttpClient => new GuardedHttpClient(options);
