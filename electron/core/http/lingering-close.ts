import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 10_000;

/**
 * Reads and discards the rest of a refused body, and closes the connection where that is more than `MAX_BYTES` or takes
 * longer than `MAX_MS`. Closing at once would reset it, and the sender might never read the answer (nginx, `lingering_close`).
 */
export const closeAfterRefusal = (request: FastifyRequest, reply: FastifyReply): void => {
  const { raw } = request;
  if (reply.statusCode < 400) return;
  reply.removeHeader('connection');
  const isRead = () => raw.complete || raw.readableEnded;
  if (isRead()) return;
  reply.raw.once('finish', () => {
    if (isRead()) return;
    let left = MAX_BYTES;
    const close = () => raw.destroy();
    const timer = setTimeout(close, MAX_MS);
    raw.on('data', (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) close();
    });
    raw.once('close', () => clearTimeout(timer));
    raw.once('end', () => clearTimeout(timer));
    raw.resume();
  });
};
