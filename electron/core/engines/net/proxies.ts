import { isIP } from 'node:net';
import type { Agent, EnvHttpProxyAgent } from 'undici';
import { AppError } from '../../base/errors.ts';
import { trustedCertificates } from './certificates.ts';

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
