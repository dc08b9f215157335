import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../../contract/route.ts';
import { AppError } from '../../base/errors.ts';
import type { McpServices } from './tools.ts';

const PATH = '/mcp';

/**
 * What the guards and the limits must know of it. It is not in the route table: its messages are those of the
 * Model Context Protocol, and its documentation is what the server says of its tools.
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

/** Answers one message. Every request stands for itself, so no session has to be kept or can be stolen. */
const answer = async (services: McpServices, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const { caller } = request;
  if (caller === undefined) throw new AppError('unauthorized', 'An API key is needed.');
  // Loaded with the first message: most servers never get one, and the start need not wait for it.
  const [{ StreamableHTTPServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('./tools.ts'),
  ]);
  const server = createMcpServer(services, caller.user);
  const transport = new StreamableHTTPServerTransport({});
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, String(value));
  reply.hijack();
  reply.raw.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request.raw, reply.raw, request.body);
};

/** `/mcp`: the recordings as tools for an assistant (https://modelcontextprotocol.io, Streamable HTTP). */
export const addMcpRoutes = (server: FastifyInstance, services: McpServices): void => {
  server.post(PATH, { config: { route: ROUTE } }, (request, reply) => answer(services, request, reply));
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
