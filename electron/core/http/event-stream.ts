import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Takes the response over from Fastify and starts a stream of server-sent events on it. */
export const startEventStream = (reply: FastifyReply): ServerResponse => {
  const { raw } = reply.hijack();
  const headers = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  return raw.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // Keeps nginx from buffering the stream.
    'x-accel-buffering': 'no',
  });
};
