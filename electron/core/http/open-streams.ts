import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Aborts when the client disconnects before its answer is complete; at once if it already has. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  const end = () => {
    if (!raw.writableFinished) controller.abort();
  };
  if (raw.closed) end();
  else raw.once('close', end);
  return controller.signal;
};

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

/** The event streams that are open, by the hash of the key that each was opened with. */
export class OpenStreams {
  readonly #open = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Counts a stream until the returned function is called, which is to be called once. */
  enter(keyHash: string): () => void {
    this.#open.set(keyHash, (this.#open.get(keyHash) ?? 0) + 1);
    return () => {
      const left = (this.#open.get(keyHash) ?? 1) - 1;
      if (left > 0) {
        this.#open.set(keyHash, left);
        return;
      }
      this.#open.delete(keyHash);
      for (const done of this.#waiting.get(keyHash) ?? []) done();
      this.#waiting.delete(keyHash);
    };
  }

  /** Resolves once no stream of the key is open. */
  async none(keyHash: string): Promise<void> {
    if (!this.#open.has(keyHash)) return;
    await new Promise<void>((done) => {
      this.#waiting.set(keyHash, [...(this.#waiting.get(keyHash) ?? []), done]);
    });
  }
}
