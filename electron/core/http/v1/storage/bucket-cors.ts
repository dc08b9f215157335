import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../base/errors.ts';
import { allowedOrigin, allowsHeaders, allowsMethod, type CorsRules } from '../../../services/files/cors.ts';
import type { Files } from '../../../services/files/create.ts';
import { userOfKey } from '../../../services/files/keys.ts';

const OBJECT_PATH = /^\/(v1\/storage\/download|v1\/storage\/presigned|cdn)\/(.+)$/;
const EXPOSED =
  'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, Retry-After, X-Request-Id';

type ObjectPath = { readonly kind: 'key' | 'token'; readonly value: string };

const objectOf = (url: string): ObjectPath | undefined => {
  const match = OBJECT_PATH.exec(url.split('?')[0] ?? '');
  if (match?.[2] === undefined) return undefined;
  try {
    return { kind: match[1]?.endsWith('presigned') ? 'token' : 'key', value: decodeURIComponent(match[2]) };
  } catch {
    return undefined;
  }
};

/** The names in a comma-separated header. */
const listOf = (header = ''): string[] =>
  header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Decides about requests for stored files from other web origins. */
export type BucketCors = {
  /** Whether a URL is that of a stored file, whose user configures CORS. */
  isObject(url: string): boolean;
  /** Sets the CORS headers of an answer; false when the origin is not allowed. */
  allow(request: FastifyRequest, reply: FastifyReply, origin: string): boolean;
  /** Whether anyone may read the file, so that an answer without CORS headers does no harm. */
  isPublic(url: string): boolean;
  /** Answers a preflight; throws `origin_not_allowed`. */
  preflight(request: FastifyRequest, reply: FastifyReply, origin: string): FastifyReply;
};

/** CORS of stored files. The key or the signed token in the path names the user. */
export const createBucketCors = ({ service, cors, signer }: Files): BucketCors => {
  const rulesOf = (url: string): CorsRules | undefined => {
    const object = objectOf(url);
    if (object === undefined) return undefined;
    const user = object.kind === 'key' ? userOfKey(object.value) : signer.peek(object.value)?.user;
    return user === undefined ? undefined : cors.rules(user);
  };

  /** Sets no `Allow-Credentials`: requests authenticate with a header or a signed path, never with cookies. */
  const allowOrigin = (reply: FastifyReply, rules: CorsRules, origin: string, method: string): boolean => {
    const value = allowedOrigin(rules, origin);
    if (value === undefined || !allowsMethod(rules, method)) return false;
    reply.header('access-control-allow-origin', value);
    return true;
  };

  return {
    isObject: (url) => objectOf(url) !== undefined,
    allow(request, reply, origin) {
      const rules = rulesOf(request.url);
      if (rules === undefined || !allowOrigin(reply, rules, origin, request.method)) return false;
      reply.header('access-control-expose-headers', EXPOSED);
      return true;
    },
    isPublic(url) {
      const object = objectOf(url);
      return object?.kind === 'key' && service.publicFile(object.value) !== undefined;
    },
    preflight(request, reply, origin) {
      const rules = rulesOf(request.url);
      const method = request.headers['access-control-request-method'] ?? '';
      const headers = listOf(request.headers['access-control-request-headers']);
      const isRefused =
        rules === undefined || !allowsHeaders(rules, headers) || !allowOrigin(reply, rules, origin, method);
      if (isRefused) {
        throw new AppError(
          'origin_not_allowed',
          'The CORS configuration of this storage does not allow this request from this web origin.',
        );
      }
      reply
        .code(204)
        .header('access-control-allow-methods', rules.allowedMethods.join(', '))
        .header('access-control-max-age', String(rules.maxAgeSeconds));
      // `*` would not cover Authorization, so the requested names are repeated.
      if (headers.length > 0) reply.header('access-control-allow-headers', headers.join(', '));
      if (request.headers['access-control-request-private-network'] === 'true') {
        reply.header('access-control-allow-private-network', 'true');
      }
      return reply.send();
    },
  };
};
