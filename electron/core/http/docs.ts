import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { newToken } from '../base/ids.ts';

/** The page at `/docs`: every operation, to be tried on the spot. Nothing of it comes from another host. */
export const installDocs = async (server: FastifyInstance): Promise<void> => {
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
  await server.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    });
    await scope.register(reference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Earshot API',
        nonce,
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
};
