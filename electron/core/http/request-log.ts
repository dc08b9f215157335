import type { FastifyInstance } from 'fastify';
import { type Clock, isoTime } from '../base/clock.ts';

export type LoggedRequest = {
  time: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
  key_prefix: string | null;
};

const MAX_ENTRIES = 500;

/** The latest requests, in memory only. Holds route patterns, never URLs with ids, bodies or keys. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }

  /** Newest first. */
  list(): LoggedRequest[] {
    return this.#entries.toReversed();
  }
}

export const addRequestLog = (server: FastifyInstance, log: RequestLog, clock: Clock): void => {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.config.route;
    if (route === undefined) return;
    log.add({
      time: isoTime(clock.now()),
      method: request.method,
      route: route.path,
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      key_prefix: request.caller?.keyPrefix ?? null,
    });
  });
};
