import type { FastifyInstance } from 'fastify';
import { type Clock, isoTime } from '../base/clock.ts';

type LoggedRequest = {
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

/** Builders of answers, so that handlers read: call one service, answer. */
type Headers = Readonly<Record<string, string>>;

const answer =
  <const S extends number>(status: S) =>
  <B>(body: B, headers: Headers = {}) => ({ status, body, headers });

export const ok = answer(200);
export const created = answer(201);

/** The envelope of most answers: `{success: true, data}`. */
export const success = <T>(data: T) => ({ success: true as const, data });
