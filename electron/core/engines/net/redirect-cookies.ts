import { isIP } from 'node:net';
import type { Cookie } from 'undici';

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
export class RedirectCookies {
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
