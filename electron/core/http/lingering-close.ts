import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 10_000;

/**
 * When an upload is refused while its bytes are still coming, closing at once would reset the connection
 * and the sender might never read why. So the rest is read and thrown away for a moment, up to a limit,
 * and then the connection is cut.
 */
export const lingerAfterRefusal = (request: FastifyRequest, reply: FastifyReply): void => {
  const { raw } = request;
  if (reply.statusCode < 400 || raw.complete) return;
  reply.removeHeader('connection');
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    let left = MAX_BYTES;
    const cut = () => raw.socket.destroy();
    const timer = setTimeout(cut, MAX_MS);
    raw.on('data', (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) cut();
    });
    raw.once('close', () => clearTimeout(timer));
    raw.once('end', () => clearTimeout(timer));
    raw.resume();
  });
};
