import { isIP } from 'node:net';
import { ProxyAgent } from 'undici';
import { AppError } from '../../base/errors.ts';
import { trustedCertificates } from './certificates.ts';

/** A host that is meant by `NO_PROXY`: `*`, a name with all below it, with or without a port. */
const isExcepted = (url: URL, list: string): boolean =>
  list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === '*') return true;
      const own = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
      if (port !== undefined && port !== own) return false;
      return url.hostname === name || url.hostname.endsWith(`.${name}`);
    });

/**
 * The proxy that the environment names for an address, as curl reads it: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`,
 * in either case; null where there is none.
 */
export const proxyFor = (url: URL, environment: NodeJS.ProcessEnv): string | null => {
  const read = (name: string): string => environment[name] ?? environment[name.toUpperCase()] ?? '';
  const proxy = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  return proxy === '' || isExcepted(url, read('no_proxy')) ? null : proxy;
};

/** Whether a host is an address itself, or this machine's own name: a proxy needs no resolver to reach those. */
export const isLiteral = (hostname: string): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /(?:^|\.)localhost$/i.test(hostname);

/** The pools of connections to proxies, one each. */
export class Proxies {
  readonly #agents = new Map<string, ProxyAgent>();

  /** Throws AppError `download_failed` where the environment names something that is no HTTP proxy. */
  async agent(proxy: string): Promise<ProxyAgent> {
    const known = this.#agents.get(proxy);
    if (known !== undefined) return known;
    const uri = /^\w+:\/\//.test(proxy) ? proxy : `http://${proxy}`;
    if (!URL.canParse(uri) || !/^https?:/.test(uri)) {
      throw new AppError('download_failed', 'The environment names a proxy that is not an http:// address.');
    }
    const tls = { secureContext: await trustedCertificates() };
    const agent = new ProxyAgent({ uri, requestTls: tls, proxyTls: tls });
    this.#agents.set(proxy, agent);
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.close()));
  }
}
