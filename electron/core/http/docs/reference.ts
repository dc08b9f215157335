import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { newToken } from '../../base/ids.ts';

/** The page and its script; Scalar's other routes are not exposed. */
const PATHS = ['/docs', '/docs/js/scalar.js'];

/** Scalar's plugin in a server of its own, since none can be registered on a running server. */
const createPage = async (nonce: string): Promise<FastifyInstance> => {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Earshot API',
      favicon: '/favicon.ico',
      nonce,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  await page.ready();
  return page;
};

/**
 * The API reference at `/docs`, with a form to try each operation. It loads nothing from other hosts. Scalar is loaded on
 * the first visit, since it takes 40 MB.
 */
export const addReferencePage = async (server: FastifyInstance, resourcesDir: string): Promise<void> => {
  const nonce = newToken(16);
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  let page: Promise<FastifyInstance> | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    page ??= createPage(nonce);
    const { routing } = await page;
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    reply.raw.setHeader('content-security-policy', policy);
    reply.raw.setHeader('referrer-policy', 'no-referrer');
    routing(request.raw, reply.raw);
  };
  for (const path of PATHS) server.get(path, serve);
  const icon = await readFile(join(resourcesDir, 'icons', 'icon.svg'));
  // Browsers request this path by default.
  server.get('/favicon.ico', (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(icon),
  );
};
