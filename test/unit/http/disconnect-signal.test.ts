import { once } from 'node:events';
import { request } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { disconnectSignal } from '../../../electron/core/http/open-streams.ts';

let server: FastifyInstance;
let port: number;
/** Resolves when a handler has begun. */
let begun: PromiseWithResolvers<void>;
/** What a handler saw in the end. */
let seen: PromiseWithResolvers<boolean>;

beforeEach(async () => {
  begun = Promise.withResolvers();
  seen = Promise.withResolvers();
  server = Fastify();
  server.get('/before', async (_request, reply) => {
    const signal = disconnectSignal(reply);
    begun.resolve();
    await once(reply.raw, 'close');
    seen.resolve(signal.aborted);
  });
  // As when a file is checked for viruses before anything else.
  server.get('/after', async (_request, reply) => {
    begun.resolve();
    await once(reply.raw, 'close');
    seen.resolve(disconnectSignal(reply).aborted);
  });
  server.get('/whole', async (_request, reply) => {
    const signal = disconnectSignal(reply);
    reply.raw.once('close', () => seen.resolve(signal.aborted || disconnectSignal(reply).aborted));
    return {};
  });
  port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterEach(async () => {
  await server.close();
});

const send = (path: string) => {
  const sent = request({ port, path });
  // What a client sees of its own disconnection does not matter.
  sent.on('error', () => undefined);
  sent.on('response', (response) => response.resume());
  return sent.end();
};

it.each([
  ['later', '/before'],
  ['before the signal is asked for', '/after'],
])('aborts for a client that goes %s', async (_when, path) => {
  const sent = send(path);
  await begun.promise;
  sent.destroy();
  expect(await seen.promise).toBe(true);
});

it('does not abort for a client that has its answer', async () => {
  send('/whole');
  expect(await seen.promise).toBe(false);
});
