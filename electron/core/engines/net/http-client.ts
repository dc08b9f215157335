import { connect, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../contract/settings.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { allowedAddresses, systemResolve } from './address-guard.ts';
import { bodyStream } from './body-queue.ts';
import { trustedCertificates } from './certificates.ts';
import { explainNetworkError } from './network-errors.ts';
import { isLiteral, Proxies, proxyFor } from './proxies.ts';
import type {
  ConnectionPurpose,
  ConnectionRecord,
  HttpClient,
  HttpClientOptions,
  OpenedResponse,
  OpenOptions,
  Resolve,
  ResolvedAddress,
  TunnelOptions,
} from './types.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CONNECT_SECONDS = 15;
/** Addresses remembered for the log, per agent. */
const REMEMBERED_ORIGINS = 1000;

/** Parses a URL and refuses every scheme but http and https. */
export const parseWebUrl = (text: string, base?: string): URL => {
  const url = URL.canParse(text, base) ? new URL(text, base) : null;
  if (url === null) throw new AppError('download_failed', 'The address is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AppError('download_failed', `Only http and https can be fetched, not ${url.protocol}//`);
  }
  return url;
};

/** A connection pool whose sockets go only to addresses that the rule let through. */
type GuardedAgent = { readonly agent: Agent; readonly addressOf: (origin: string) => string | null };

/** A socket's `lookup` that resolves nothing: it hands out the addresses that were just checked. */
const handOut =
  (allowed: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = allowed;
    if (options.all === true || first === undefined) done(null, [...allowed]);
    else done(null, first.address, first.family);
  };

const createAgent = (allowPrivate: boolean, resolve: Resolve): GuardedAgent => {
  const addresses = new Map<string, string>();
  const remember = (origin: string, address: string): void => {
    addresses.delete(origin);
    addresses.set(origin, address);
    const oldest = addresses.keys().next();
    if (addresses.size > REMEMBERED_ORIGINS && !oldest.done) addresses.delete(oldest.value);
  };
  const connect: buildConnector.connector = (target, callback) => {
    Promise.all([
      allowedAddresses(target.hostname, allowPrivate, resolve),
      target.protocol === 'https:' ? trustedCertificates() : undefined,
    ]).then(
      ([allowed, secureContext]) => {
        // The socket resolves no name itself: it is handed the addresses that were just checked.
        const open = buildConnector({
          ...(secureContext === undefined ? {} : { secureContext }),
          timeout: CONNECT_SECONDS * 1000,
          allowH2: false,
          autoSelectFamily: true,
          lookup: handOut(allowed),
        });
        open(target, (...result) => {
          const [, socket] = result;
          const origin = `${target.protocol}//${target.host ?? target.hostname}`;
          if (socket?.remoteAddress !== undefined) remember(origin, socket.remoteAddress);
          callback(...result);
        });
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
  const agent = new Agent({ connect, allowH2: false, connections: 8, keepAliveTimeout: 10_000 });
  return { agent, addressOf: (origin) => addresses.get(origin) ?? null };
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

/** An address as it may be shown and kept: without a login. */
const withoutLogin = (url: URL): string => {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
};

const basicAuthorization = (url: URL): Record<string, string> => {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
};

type Hop = {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | null;
};

type HopResponse = Omit<OpenedResponse, 'redirected'>;

type HopContext = {
  readonly purpose: ConnectionPurpose;
  readonly stallSeconds: number;
  readonly signal: AbortSignal | undefined;
};

/** The next request after a redirect; credentials never travel to another origin. */
const followRedirect = (hop: Hop, status: number, location: string): Hop => {
  const url = parseWebUrl(location, hop.url.href);
  const toGet = status === 303 || (hop.method === 'POST' && (status === 301 || status === 302));
  const sameOrigin = url.origin === hop.url.origin;
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(
      ([name]) => sameOrigin || !['authorization', 'cookie'].includes(name.toLowerCase()),
    ),
  );
  return toGet && hop.method !== 'HEAD'
    ? { url, method: 'GET', headers, body: null }
    : { url, method: hop.method, headers, body: hop.body };
};

const offlineError = (host: string): AppError =>
  new AppError('offline', `Offline mode is on, so nothing was fetched from ${host}.`);

/** A socket to one of these addresses, once it is connected. */
const connected = (
  host: string,
  port: number,
  allowed: readonly ResolvedAddress[],
  signal: AbortSignal | undefined,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: handOut(allowed), autoSelectFamily: true, signal });
    socket.setTimeout(CONNECT_SECONDS * 1000, () => socket.destroy(new errors.ConnectTimeoutError()));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });

class GuardedHttpClient implements HttpClient {
  readonly #options: HttpClientOptions;
  /** Two pools, so that a socket opened while private addresses were allowed is never used once they are not. */
  readonly #publicOnly: GuardedAgent;
  readonly #anywhere: GuardedAgent;
  readonly #proxies = new Proxies();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    const resolve = options.resolve ?? systemResolve;
    this.#publicOnly = createAgent(false, resolve);
    this.#anywhere = createAgent(true, resolve);
  }

  async open(options: OpenOptions): Promise<OpenedResponse> {
    const context: HopContext = {
      purpose: options.purpose,
      stallSeconds: options.stallSeconds ?? DEFAULT_NETWORK_STALL_SECONDS,
      signal: options.signal,
    };
    const maxRedirects = options.maxRedirects ?? 5;
    const url = parseWebUrl(options.url);
    let hop: Hop = {
      url,
      method: options.method ?? 'GET',
      headers: { ...basicAuthorization(url), ...options.headers },
      body: options.body ?? null,
    };
    for (let followed = 0; ; followed++) {
      const response = await this.#send(hop, context);
      const location = response.headers.location;
      if (!REDIRECTS.has(response.status) || location === undefined || maxRedirects === 0) {
        return { ...response, redirected: followed > 0 };
      }
      response.body.destroy();
      if (followed === maxRedirects) {
        throw new AppError(
          'download_failed',
          `${url.host} redirects more than ${maxRedirects} times, without ever sending the file.`,
        );
      }
      hop = followRedirect(hop, response.status, location);
    }
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#publicOnly.agent.destroy(),
      this.#anywhere.agent.destroy(),
      this.#proxies.close(),
    ]);
  }

  async tunnel({ host, port, purpose, signal }: TunnelOptions): Promise<Socket> {
    throwIfAborted(signal);
    const { offline, allowPrivateAddresses } = this.#options.policy();
    const name = port === 443 ? host : `${host}:${port}`;
    const note = (rest: Pick<ConnectionRecord, 'address' | 'bytes' | 'error'>) =>
      this.#options.onConnection?.({ host: name, purpose, ...rest });
    try {
      if (offline) throw offlineError(name);
      const allowed = await allowedAddresses(
        host,
        allowPrivateAddresses,
        this.#options.resolve ?? systemResolve,
      );
      const socket = await connected(host, port, allowed, signal);
      const address = socket.remoteAddress ?? null;
      socket.once('close', () => note({ address, bytes: socket.bytesRead, error: null }));
      return socket;
    } catch (error) {
      const explained = explainNetworkError(error, { host: name, stallSeconds: CONNECT_SECONDS, signal });
      note({ address: null, bytes: 0, error: explained.message });
      throw explained;
    }
  }

  #record(hop: Hop, context: HopContext, rest: Pick<ConnectionRecord, 'address' | 'bytes' | 'error'>): void {
    this.#options.onConnection?.({ host: hop.url.host, purpose: context.purpose, ...rest });
  }

  async #send(hop: Hop, context: HopContext): Promise<HopResponse> {
    throwIfAborted(context.signal);
    const policy = this.#options.policy();
    // Addresses that are the owner's own settings: the language model's, on this machine as a rule, and a mirror's.
    const named =
      context.purpose === 'llm' || (context.purpose === 'model' && policy.modelOrigin === hop.url.origin);
    const anywhere = policy.allowPrivateAddresses || named;
    const { agent: direct, addressOf } = anywhere ? this.#anywhere : this.#publicOnly;
    const explain = (error: unknown): AppError =>
      explainNetworkError(error, { host: hop.url.host, ...context });
    try {
      if (policy.offline) {
        throw offlineError(hop.url.host);
      }
      const agent = (await this.#proxyOf(hop.url, context, anywhere)) ?? direct;
      const response = await agent.request({
        origin: hop.url.origin,
        path: `${hop.url.pathname}${hop.url.search}`,
        method: hop.method,
        headers: {
          'user-agent': `Earshot/${this.#options.version}`,
          'accept-encoding': 'identity',
          accept: '*/*',
          ...hop.headers,
        },
        body: hop.body,
        headersTimeout: context.stallSeconds * 1000,
        bodyTimeout: context.stallSeconds * 1000,
        signal: context.signal ?? null,
      });
      return this.#opened(hop, context, response, addressOf(hop.url.origin), explain);
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

  /**
   * Models alone come by a proxy that the environment names: what they are is held against a hash, and where they
   * come from is the owner's choice. A proxy resolves names itself, so the rule about addresses could not hold for
   * what others ask for.
   */
  async #proxyOf({ hostname, href }: URL, { purpose }: HopContext, anywhere: boolean) {
    const proxy = purpose === 'model' ? proxyFor(new URL(href), this.#options.environment ?? {}) : null;
    if (proxy === null) return undefined;
    if (isLiteral(hostname)) {
      await allowedAddresses(hostname, anywhere, this.#options.resolve ?? systemResolve);
    }
    return this.#proxies.agent(proxy);
  }

  #opened(
    hop: Hop,
    context: HopContext,
    response: Dispatcher.ResponseData,
    address: string | null,
    explain: (error: unknown) => AppError,
  ): HopResponse {
    const body = bodyStream({
      source: response.body,
      explain,
      onClose: (bytes, failure) =>
        this.#record(hop, context, { address, bytes, error: failure?.message ?? null }),
    });
    // Whoever reads it meets the error; until somebody does, a broken connection must not end the program.
    body.on('error', () => {});
    return {
      status: response.statusCode,
      headers: flattenHeaders(response.headers),
      url: withoutLogin(hop.url),
      body,
    };
  }
}

/** Makes the one HTTP client that all of the program's outbound requests go through. */
export const createHttpClient = (options: HttpClientOptions): HttpClient => new GuardedHttpClient(options);
