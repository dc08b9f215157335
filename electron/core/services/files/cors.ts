import type { CorsRequest } from '../../../contract/storage.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import type { WritableDb } from '../../stores/database.ts';
import { type CorsRules, findCors, saveCors } from '../../stores/files.ts';

export type { CorsRules };

/** `https://*.example.com` matches any subdomain but not the domain itself; scheme and port must be equal. */
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

/** The value of `Access-Control-Allow-Origin` for an origin; undefined when it is not allowed. */
export const allowedOrigin = (rules: CorsRules, origin: string): string | undefined => {
  if (rules.allowedOrigins.includes('*')) return '*';
  return rules.allowedOrigins.some((pattern) => originMatches(pattern, origin)) ? origin : undefined;
};

/** HEAD is allowed with GET: its answer holds less. */
export const allowsMethod = (rules: CorsRules, method: string): boolean =>
  rules.allowedMethods.includes(method) || (method === 'HEAD' && rules.allowedMethods.includes('GET'));

export const allowsHeaders = (rules: CorsRules, names: readonly string[]): boolean => {
  if (rules.allowedHeaders.includes('*')) return true;
  const allowed = new Set(rules.allowedHeaders.map((name) => name.toLowerCase()));
  return names.every((name) => allowed.has(name.toLowerCase()));
};

/** The CORS configuration of each user's files; a change applies from the next request on. */
export class CorsService {
  readonly #db: WritableDb;
  readonly #clock: Clock;

  constructor(db: WritableDb, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Undefined without a configuration: then no other origin is allowed. */
  rules(userId: string): CorsRules | undefined {
    return findCors(this.#db, userId);
  }

  configure(userId: string, request: CorsRequest) {
    const unique = (values: readonly string[]) => [...new Set(values)];
    const rules = {
      allowedOrigins: unique(request.allowedOrigins),
      allowedMethods: unique(request.allowedMethods),
      allowedHeaders: unique(request.allowedHeaders),
      maxAgeSeconds: request.maxAgeSeconds,
      updatedAt: this.#clock.now(),
    };
    saveCors(this.#db, userId, rules);
    return { ...rules, updatedAt: isoTime(rules.updatedAt) };
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
