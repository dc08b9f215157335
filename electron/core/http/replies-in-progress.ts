import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A reply that takes longer is cut off. */
const MAX_WAIT_MS = 1000;

/**
 * The replies whose requests are read and which have not begun: a shutdown lets them be sent before it closes their
 * connections. Streams and uploads are not among them.
 */
export class RepliesInProgress {
  readonly #replies = new Set<ServerResponse>();

  /** Counts the requests of all routes that are added afterwards. */
  constructor(server: FastifyInstance) {
    server.addHook('preHandler', async (request, { raw }) => {
      // A WebSocket has no reply.
      if (request.ws) return;
      this.#replies.add(raw);
      raw.once('close', () => this.#replies.delete(raw));
    });
  }

  /** A function that waits until the replies of this moment are sent, a second at most. */
  now(): () => Promise<void> {
    const pending = [...this.#replies].filter(({ headersSent }) => !headersSent);
    const sent = Promise.all(pending.map((raw) => new Promise<void>((done) => raw.once('close', done))));
    return async () => {
      await Promise.race([sent, delay(MAX_WAIT_MS, undefined, { ref: false })]);
    };
  }
}
