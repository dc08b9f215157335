import { normalizeKey } from './keys.ts';
import type { TokenSigner } from './tokens.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a URL leads to this server; all names of the loopback interface are equal. */
const isOwn = (url: URL, base: URL): boolean =>
  url.protocol === base.protocol &&
  url.port === base.port &&
  (url.hostname === base.hostname || (LOOPBACK.has(url.hostname) && LOOPBACK.has(base.hostname)));

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/**
 * The key of the stored file that a URL names: `storage:{key}`, this server's own download and direct
 * URLs, and its signed ones. Undefined for any other URL.
 */
export const keyOfUrl = (url: string, baseUrl: string, signer: TokenSigner): string | undefined => {
  if (/^storage:/i.test(url)) return normalizeKey(url.slice('storage:'.length));
  if (!URL.canParse(url) || !URL.canParse(baseUrl)) return undefined;
  const parsed = new URL(url);
  if (!isOwn(parsed, new URL(baseUrl))) return undefined;
  const token = /^\/v1\/storage\/presigned\/([^/]+)$/.exec(parsed.pathname)?.[1];
  if (token !== undefined) return signer.peek(token)?.key;
  const path = /^\/(?:v1\/storage\/download|cdn)\/(.+)$/.exec(parsed.pathname)?.[1];
  const key = path === undefined ? undefined : decoded(path);
  return key === undefined ? undefined : normalizeKey(key);
};
