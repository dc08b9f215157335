import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Agent, buildConnector, EnvHttpProxyAgent, parseCookie } from 'undici';
import { AppError, systemCode } from '../../base/errors.ts';
import { allowedAddresses } from './address-guard.ts';
import type { Resolve, ResolvedAddress } from './types.ts';

let context: SecureContext | undefined;

/**
 * The trusted certificate authorities: Node's own list (with NODE_EXTRA_CA_CERTS) and the operating system's store, so
 * that a company's mirror or inspecting proxy is trusted here as in its browsers. Created once, because every connection
 * would otherwise parse hundreds of certificates.
 */
const trustedCertificates = async (): Promise<SecureContext> => {
  context ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  });
  return context;
};

/** Longer heads are left to the parser, which refuses them. */
const MAX_HEAD_BYTES = 64 * 1024;

/** The length of a head with the blank line that ends it, or null if it is incomplete. */
const headLength = (bytes: Buffer): number | null => {
  const match = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  return match === null ? null : match.index + match[0].length;
};

/** Whether this can begin a response: what cannot is handed on at once, so that the parser refuses it. */
const isResponse = (bytes: Buffer): boolean =>
  bytes.length < 5 || /^(?:HTTP\/|ICY )/i.test(bytes.toString('latin1', 0, 5));

const isField = (line: string, name: string): boolean => line.toLowerCase().startsWith(`${name}:`);

/** Field lines with continuation lines joined to theirs, without lines that are no fields. */
const fieldLines = (lines: readonly string[]): string[] =>
  lines
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
    .filter((line) => /^[^\s:]+:/.test(line));

/** One Content-Length for equal ones, as RFC 9112 (6.3) allows, and none beside a Transfer-Encoding. */
const withOneLength = (fields: readonly string[]): string[] => {
  const lengths = fields.filter((line) => isField(line, 'content-length'));
  const rest = fields.filter((line) => !lengths.includes(line));
  if (fields.some((line) => isField(line, 'transfer-encoding'))) return rest;
  const values = lengths.flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  const unique = [...new Set(values.map((value) => value.trim()))];
  return [...rest, ...unique.map((value) => `content-length: ${value}`)];
};

/**
 * Rewrites the head of a response that browsers accept and undici's parser refuses: `ICY 200 OK` of Shoutcast servers, lines
 * that end in LF alone, equal lengths, lines that are no fields. Empty for an interim `100 Continue` that no one expects.
 */
const repairHead = (head: string): string => {
  const [first = '', ...lines] = head.trim().split(/\r?\n/);
  const status = first.replace(/^ICY(?= \d{3})/i, 'HTTP/1.0');
  if (/^HTTP\/\d\.\d 100\b/.test(status)) return '';
  return `${[status, ...withOneLength(fieldLines(lines))].join('\r\n')}\r\n\r\n`;
};

/** Repairs the head of the one response that a connection carries; its body passes as it is. */
class HeadRepair {
  #head = Buffer.alloc(0);
  #isBody = false;

  /** What of the response can be handed on after `chunk` has arrived; null if nothing can yet. */
  add(chunk: Buffer): Buffer | null {
    if (this.#isBody) return chunk;
    this.#head = Buffer.concat([this.#head, chunk]);
    for (;;) {
      const length = headLength(this.#head);
      if (length === null) {
        return isResponse(this.#head) && this.#head.length <= MAX_HEAD_BYTES ? null : this.rest();
      }
      const repaired = repairHead(this.#head.toString('latin1', 0, length));
      this.#head = this.#head.subarray(length);
      if (repaired !== '') return Buffer.concat([Buffer.from(repaired, 'latin1'), this.rest() ?? this.#head]);
    }
  }

  /** An incomplete head, once nothing can follow; null if there is none. */
  rest(): Buffer | null {
    this.#isBody = true;
    const rest = this.#head;
    this.#head = Buffer.alloc(0);
    return rest.length === 0 ? null : rest;
  }
}

/** Whether a host is an IP address or localhost, which a proxy reaches without resolving a name. */
export const isLiteralHost = (hostname: string): boolean =>
  isIP(hostname) !== 0 || /(?:^|\.)localhost\.?$/i.test(hostname);

/** Throws AppError `download_failed` if the address is not that of an HTTP proxy. */
const proxyUrl = (proxy: string): string => {
  const url = /^\w+:\/\//.test(proxy) ? proxy : `http://${proxy}`;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new AppError('download_failed', 'The environment names a proxy that is not an http:// address.');
  }
  return url;
};

/** Writes the IPv6 addresses of `NO_PROXY` as URLs do, since undici compares texts. */
const withCanonicalAddresses = (noProxy: string): string =>
  noProxy.replace(/[^\s,]+/g, (entry) => {
    const [, address = entry, port = ''] = /^\[(.+)\](:\d+)?$/.exec(entry) ?? [];
    const url = `http://[${address}]${port}`;
    return isIP(address) === 6 && URL.canParse(url) ? `${new URL(url).hostname}${port}` : entry;
  });

/**
 * The proxies of an environment, as curl selects them: `HTTPS_PROXY` or `HTTP_PROXY` by the URL's protocol, unless
 * `NO_PROXY` lists the host; names in either case.
 */
export class EnvironmentProxies {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #agents = new Map<Agent.Options, Map<string, EnvHttpProxyAgent>>();

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /**
   * A pool that connects through the proxy for URLs of a protocol, and with the options `direct` to what `NO_PROXY` lists.
   * undefined if the environment names no proxy for it. Throws AppError `download_failed` for an unusable one.
   */
  async agent(protocol: string, direct: Agent.Options): Promise<EnvHttpProxyAgent | undefined> {
    const proxy = this.#read(protocol === 'https:' ? 'https_proxy' : 'http_proxy');
    if (proxy === '') return undefined;
    const uri = proxyUrl(proxy);
    const { EnvHttpProxyAgent } = await import('undici');
    const tls = { secureContext: await trustedCertificates() };
    const agents = this.#agents.get(direct) ?? new Map<string, EnvHttpProxyAgent>();
    this.#agents.set(direct, agents);
    const known = agents.get(uri);
    if (known !== undefined) return known;
    const agent = new EnvHttpProxyAgent({
      ...direct,
      requestTls: tls,
      proxyTls: tls,
      // Both, since undici would send https through the proxy for http.
      httpProxy: uri,
      httpsProxy: uri,
      noProxy: withCanonicalAddresses(this.#read('no_proxy')),
    });
    agents.set(uri, agent);
    return agent;
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()].flatMap((byUri) => [...byUri.values()]);
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #read(name: string): string {
    return this.#environment[name] ?? this.#environment[name.toUpperCase()] ?? '';
  }
}

export const CONNECT_TIMEOUT_SECONDS = 15;
/** Origins of which an agent remembers something. */
export const MAX_REMEMBERED_ORIGINS = 1000;

/** A connection pool whose sockets go only to allowed addresses. */
export type GuardedAgent = {
  readonly agent: Agent;
  /** For other pools under the same rule. */
  readonly options: Agent.Options;
  /** For one response per connection, whose head is repaired before it is parsed. */
  readonly repairing: Agent;
  /** Origins whose heads needed that before. */
  readonly needsRepair: Set<string>;
  /** The address of the last connection to an origin. */
  readonly addressOf: (origin: string) => string | null;
};

/** A `lookup` for sockets that resolves nothing: it returns the addresses that were just checked. */
export const fixedLookup =
  (allowed: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = allowed;
    if (options.all === true || first === undefined) done(null, [...allowed]);
    else done(null, first.address, first.family);
  };

type Undici = { readonly Agent: typeof Agent; readonly buildConnector: typeof buildConnector };

/** Repairs the head of the response before the socket's reader sees it. */
const repairResponse = (socket: Socket): void => {
  const repair = new HeadRepair();
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) => {
    const bytes = chunk === null ? repair.rest() : repair.add(chunk);
    if (chunk !== null) return bytes === null || push(bytes);
    if (bytes !== null) push(bytes);
    return push(null);
  };
};

/**
 * Whether a request failed because undici refused the head of the response: it then says that a length in it does not match,
 * and that an interim response which no one expects is a `bad response`.
 */
export const isRefusedHead = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = systemCode(error) ?? '';
  return (
    code.startsWith('HPE_') ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    error.name === 'HTTPParserError' ||
    error.message === 'bad response'
  );
};

const createAgent = (undici: Undici, allowPrivate: boolean, resolve: Resolve): GuardedAgent => {
  const addresses = new Map<string, string>();
  const remember = (origin: string, address: string): void => {
    addresses.delete(origin);
    addresses.set(origin, address);
    const oldest = addresses.keys().next();
    if (addresses.size > MAX_REMEMBERED_ORIGINS && !oldest.done) addresses.delete(oldest.value);
  };
  const connectWith =
    (prepare: (socket: Socket) => void): buildConnector.connector =>
    (target, callback) => {
      Promise.all([
        allowedAddresses(target.hostname, allowPrivate, resolve),
        target.protocol === 'https:' ? trustedCertificates() : undefined,
      ]).then(
        ([allowed, secureContext]) => {
          const open = undici.buildConnector({
            ...(secureContext === undefined ? {} : { secureContext }),
            timeout: CONNECT_TIMEOUT_SECONDS * 1000,
            allowH2: false,
            autoSelectFamily: true,
            lookup: fixedLookup(allowed),
          });
          open(target, (...result) => {
            const [, socket] = result;
            const origin = `${target.protocol}//${target.host ?? target.hostname}`;
            if (socket?.remoteAddress !== undefined) remember(origin, socket.remoteAddress);
            if (socket) prepare(socket);
            callback(...result);
          });
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    };
  const rules = { allowH2: false, connections: 8, keepAliveTimeout: 10_000 };
  const options = { ...rules, connect: connectWith(() => {}) };
  return {
    agent: new undici.Agent(options),
    options,
    repairing: new undici.Agent({ ...rules, connect: connectWith(repairResponse) }),
    needsRepair: new Set(),
    addressOf: (origin) => addresses.get(origin) ?? null,
  };
};

/** Two pools: a socket opened while private addresses were allowed must not be reused when they no longer are. */
export type Pools = {
  readonly publicOnly: GuardedAgent;
  readonly unrestricted: GuardedAgent;
  readonly parseCookie: typeof parseCookie;
};

/** Loads undici, which a service that fetches nothing does without. */
export const createPools = async (resolve: Resolve): Promise<Pools> => {
  const undici = await import('undici');
  return {
    publicOnly: createAgent(undici, false, resolve),
    unrestricted: createAgent(undici, true, resolve),
    parseCookie: undici.parseCookie,
  };
};
