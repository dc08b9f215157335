import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { monotonicFactory } from 'ulid';

type Prefix = 'tr' | 'usr' | 'key' | 'file' | 'whk' | 'voice' | 'cor';

const next = monotonicFactory();

/** `prefix_` + ULID: unique, and sorts by creation time within this process. */
export const newId = (prefix: Prefix): string => `${prefix}_${next()}`;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base62 = (length: number): string =>
  Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join('');

/** Six base62 characters that distinguish a typo from a revoked key. */
const checksum = (body: string): string => {
  let rest = createHash('sha256').update(body).digest().readUIntBE(0, 6);
  let text = '';
  for (let i = 0; i < 6; i++) {
    text += BASE62.charAt(rest % 62);
    rest = Math.floor(rest / 62);
  }
  return text;
};

/** A new API key: `ek_` + 32 base62 characters + a 6-character checksum. */
export const newApiKey = (): string => {
  const body = base62(32);
  return `ek_${body}${checksum(body)}`;
};

/** Whether a text has the format of an API key with a valid checksum. */
export const isWellFormedKey = (key: string): boolean =>
  /^ek_[0-9A-Za-z]{38}$/.test(key) && checksum(key.slice(3, 35)) === key.slice(35);

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An unguessable token, `bytes` long, in base64url. */
export const newToken = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** Compares two secrets in constant time. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
