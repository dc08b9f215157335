import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../../contract/route.ts';
import { AppError } from '../../base/errors.ts';
import type { McpServices } from './tools.ts';

const PATH = '/mcp';

/**
 * The route for guards and rate limits. It is not in the route table: the Model Context Protocol defines its messages,
 * and the server describes its tools itself.
 */
const ROUTE: Route = {
  method: 'POST',
  path: PATH,
  tag: 'System',
  summary: 'The Model Context Protocol, Streamable HTTP',
  access: 'key',
  responses: {},
  errors: [],
};

/** Answers one message. There are no sessions, so none can be stolen. */
const answer = async (services: McpServices, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const { caller } = request;
  if (caller === undefined) throw new AppError('unauthorized', 'An API key is needed.');
  // Imported with the first message, which most servers never get.
  const [{ StreamableHTTPServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('./tools.ts'),
  ]);
  const server = createMcpServer(services, caller.user);
  const transport = new StreamableHTTPServerTransport({});
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, String(value));
  reply.hijack();
  // The client may have gone meanwhile.
  if (reply.raw.closed) return;
  reply.raw.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request.raw, reply.raw, request.body);
};

/** Counts the calls of a batch beyond the first, which the request itself counted as. */
const countCalls = (server: FastifyInstance): ((request: FastifyRequest) => Promise<void>) => {
  const count = server.createRateLimit();
  return async (request) => {
    const calls = Array.isArray(request.body) ? request.body.length : 1;
    for (let counted = 1; counted < calls; counted++) {
      const limit = await count(request);
      if (limit.isAllowed || !limit.isExceeded) continue;
      throw new AppError(
        'rate_limited',
        `Too many calls in one batch: at most ${limit.max} in this time. Try again in ${limit.ttlInSeconds} seconds.`,
        { headers: { 'retry-after': String(limit.ttlInSeconds) } },
      );
    }
  };
};

/** `/mcp`: a user's recordings as tools for an assistant (https://modelcontextprotocol.io, Streamable HTTP). */
export const addMcpRoutes = (server: FastifyInstance, services: McpServices): void => {
  const preHandler = countCalls(server);
  server.post(PATH, { config: { route: ROUTE }, preHandler }, (request, reply) =>
    answer(services, request, reply),
  );
  server.route({
    method: ['GET', 'DELETE'],
    url: PATH,
    config: { route: ROUTE },
    handler: async () => {
      throw new AppError('method_not_allowed', 'Only POST is allowed here: there are no sessions.', {
        headers: { allow: 'POST' },
      });
    },
  });
};
