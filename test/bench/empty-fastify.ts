// A server that does nothing, as a reference for the start of ours: prints its URL when it listens.

import Fastify from 'fastify';

const server = Fastify();
server.get('/v1/health', () => ({ status: 'ok' }));
process.stdout.write(`${JSON.stringify({ url: await server.listen({ port: 0 }) })}\n`);
