import type { CorsRequest } from '../../../contract/storage.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { findCors, saveCors } from '../../stores/bucket-cors.ts';
import type { WritableDb } from '../../stores/database.ts';

export type CorsRules = {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
};

/** `https://*.example.com` takes any subdomain, not the domain itself; ports and schemes must be equal. */
const originMatches = (pattern: string, origin: string): boolean => {
  if (pattern === '*') return true;
  const wanted = pattern.toLowerCase();
  const given = origin.toLowerCase();
  const star = wanted.indexOf('*.');
  if (star === -1) return wanted === given;
  const [scheme, suffix] = [wanted.slice(0, star), wanted.slice(star + 1)];
  const label = given.slice(scheme.length, given.length - suffix.length);
  return given.startsWith(scheme) && given.endsWith(suffix) && /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(label);
};

/** What `Access-Control-Allow-Origin` says to an origin, or undefined when it is not let in. */
export const allowedOrigin = (rules: CorsRules, origin: string): string | undefined => {
  if (rules.allowedOrigins.includes('*')) return '*';
  return rules.allowedOrigins.some((pattern) => originMatches(pattern, origin)) ? origin : undefined;
};

/** Who may GET may HEAD, which tells less. */
export const allowsMethod = (rules: CorsRules, method: string): boolean =>
  rules.allowedMethods.includes(method) || (method === 'HEAD' && rules.allowedMethods.includes('GET'));

export const allowsHeaders = (rules: CorsRules, names: readonly string[]): boolean => {
  if (rules.allowedHeaders.includes('*')) return true;
  const allowed = new Set(rules.allowedHeaders.map((name) => name.toLowerCase()));
  return names.every((name) => allowed.has(name.toLowerCase()));
};

/** The CORS configuration of each account's objects; a change is in force with the next request. */
export class CorsService {
  readonly #db: WritableDb;
  readonly #clock: Clock;

  constructor(db: WritableDb, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Undefined before the first configuration: no other origin is let in. */
  rules(userId: string): (CorsRules & { readonly updatedAt: number }) | undefined {
    const row = findCors(this.#db, userId);
    if (row === undefined) return undefined;
    // Each list is stored by `configure` after the request's schema checked it.
    const list = (text: string) => JSON.parse(text) as string[];
    return {
      allowedOrigins: list(row.origins),
      allowedMethods: list(row.methods),
      allowedHeaders: list(row.headers),
      maxAgeSeconds: row.max_age,
      updatedAt: row.updated_at,
    };
  }

  configure(userId: string, request: CorsRequest) {
    const now = this.#clock.now();
    const unique = (values: readonly string[]) => [...new Set(values)];
    const origins = unique(request.allowedOrigins);
    const methods = unique(request.allowedMethods);
    const headers = unique(request.allowedHeaders);
    saveCors(this.#db, {
      user_id: userId,
      origins: JSON.stringify(origins),
      methods: JSON.stringify(methods),
      headers: JSON.stringify(headers),
      max_age: request.maxAgeSeconds,
      updated_at: now,
    });
    return {
      allowedOrigins: origins,
      allowedMethods: methods,
      allowedHeaders: headers,
      maxAgeSeconds: request.maxAgeSeconds,
      updatedAt: isoTime(now),
    };
  }

  read(userId: string) {
    const rules = this.rules(userId);
    return {
      allowedOrigins: [...(rules?.allowedOrigins ?? [])],
      allowedMethods: [...(rules?.allowedMethods ?? [])],
      allowedHeaders: [...(rules?.allowedHeaders ?? [])],
      maxAgeSeconds: rules?.maxAgeSeconds ?? 0,
      lastUpdated: rules === undefined ? null : isoTime(rules.updatedAt),
    };
  }
}
