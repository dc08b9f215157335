import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { AccountService } from '../../services/accounts.ts';
import type { EventHub, NumberedEvent } from '../../services/events.ts';
import type { QueueService } from '../../services/queue.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute } from '../add-route.ts';
import { startEventStream } from '../event-stream.ts';

const HEARTBEAT_MS = 15_000;
/** Most unread bytes of a slow client before it is disconnected; it can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

export type EventDeps = {
  readonly accounts: AccountService;
  readonly events: EventHub;
  readonly transcripts: TranscriptService;
  readonly queue: QueueService;
};

const write = (out: ServerResponse, { id, type, data }: NumberedEvent): void => {
  // Checked before writing, so that one large event does not disconnect a client that keeps up.
  if (out.writableLength > MAX_BUFFERED_BYTES) out.destroy();
  else out.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
};

/** What the client missed since the event `lastId`; a snapshot of the current state where that is not known. */
const firstEvents = (
  { events, transcripts, queue }: EventDeps,
  userId: string,
  lastId: number,
): readonly NumberedEvent[] => {
  const missed = Number.isFinite(lastId) ? events.since(userId, lastId) : undefined;
  if (missed !== undefined) return missed;
  const processing = transcripts.processing(userId);
  return [events.snapshot({ type: 'snapshot', processing, queue_paused: queue.isPaused() })];
};

/** `GET /v1/events`: server-sent events about the caller's transcripts and files. */
export const addEventRoutes = (server: FastifyInstance, deps: EventDeps): void => {
  const open = new Set<ServerResponse>();
  server.addHook('preClose', async () => {
    for (const out of open) out.end();
  });
  addRoute(server, routes.events, ({ caller, headers, reply }) => {
    const userId = caller.user.id;
    const out = startEventStream(reply);
    if (reply.request.method === 'HEAD') {
      out.end();
      return undefined;
    }
    open.add(out);
    for (const event of firstEvents(deps, userId, Number(headers['last-event-id']))) write(out, event);
    const unsubscribe = deps.events.subscribe(userId, (event) => write(out, event));
    const heartbeat = setInterval(() => {
      if (out.writable) out.write(': heartbeat\n\n');
    }, HEARTBEAT_MS);
    const unsubscribeKey = deps.accounts.onKeyEnded(caller, () => {
      // Nothing more may be sent, also while the client does not read what it was sent.
      unsubscribe();
      out.end();
    });
    out.on('close', () => {
      clearInterval(heartbeat);
      unsubscribeKey();
      unsubscribe();
      open.delete(out);
    });
    return undefined;
  });
};
