import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from './guards.ts';

const PATH = '/v1/session/resume';
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** Cookies do not know ports: each service of a machine has a name of its own. */
const nameOf = ({ headers }: FastifyRequest): string =>
  `earshot_session_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`;

/** Whether a browser on this machine sent it: the cookie is for no other one, because it travels unencrypted. */
const isLocal = ({ headers, ip }: FastifyRequest): boolean =>
  isLoopbackHost(headers.host ?? '') && /^(?:127\.|::1$|::ffff:127\.)/.test(ip);

/**
 * The header that keeps one half of a browser's secret where no script reads it. The other half is in storage that only the
 * window's own origin has: the cookie also goes to other ports of this machine.
 */
export const setSessionCookie = (request: FastifyRequest, half: string): Record<string, string> =>
  isLocal(request)
    ? {
        'set-cookie': `${nameOf(request)}=${half}; Path=${PATH}; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict`,
      }
    : {};

/** Undefined where a request has none, or does not come from a page of this machine. */
export const readSessionCookie = (request: FastifyRequest): string | undefined => {
  const { origin, cookie = '' } = request.headers;
  if (origin === undefined || !isLocal(request)) return undefined;
  const prefix = `${nameOf(request)}=`;
  return cookie
    .split(/; */)
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
};
