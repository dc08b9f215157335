import { isIP } from 'node:net';
import { ProxyAgent } from 'undici';
import { AppError } from '../../base/errors.ts';
import { trustedCertificates } from './certificates.ts';

/** Whether `NO_PROXY` lists the host: `*`, or a domain with its subdomains, with or without a port. */
const isExcluded = (url: URL, list: string): boolean =>
  list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === '*') return true;
      const actualPort = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
      if (port !== undefined && port !== actualPort) return false;
      return url.hostname === name || url.hostname.endsWith(`.${name}`);
    });

/** The proxy for a URL as curl selects it: from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case; else null. */
export const proxyFor = (url: URL, environment: NodeJS.ProcessEnv): string | null => {
  const read = (name: string): string => environment[name] ?? environment[name.toUpperCase()] ?? '';
  const proxy = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  return proxy === '' || isExcluded(url, read('no_proxy')) ? null : proxy;
};

/** Whether a host is an IP address or localhost, which a proxy reaches without resolving a name. */
export const isLiteralHost = (hostname: string): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /(?:^|\.)localhost$/i.test(hostname);

/** A connection pool for each proxy. */
export class ProxyPool {
  readonly #agents = new Map<string, ProxyAgent>();

  /** Throws AppError `download_failed` if the address is not that of an HTTP proxy. */
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
