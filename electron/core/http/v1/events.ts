import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { isAppError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { AccountService } from '../../services/accounts.ts';
import type { EventHub, NumberedEvent } from '../../services/events.ts';
import type { QueueService } from '../../services/queue.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute } from '../add-route.ts';
import { startEventStream } from '../event-stream.ts';
import type { Renderings } from '../long/renderings.ts';
import type { OpenStreams } from '../open-streams.ts';

const HEARTBEAT_MS = 15_000;
/** Most unread bytes of a slow client before it is disconnected; it can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

export type EventDeps = {
  readonly accounts: AccountService;
  readonly db: { readonly isDamaged: boolean };
  readonly events: EventHub;
  readonly transcripts: TranscriptService;
  readonly queue: QueueService;
  readonly renderings: Renderings;
  readonly streams: OpenStreams;
  readonly logger: Logger;
};

const write = (out: ServerResponse, { id, type, data }: NumberedEvent): void => {
  // Checked before writing, so that one large event does not disconnect a client that keeps up.
  if (out.writableLength > MAX_BUFFERED_BYTES) out.destroy();
  else out.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
};

/** The current state, for a client of which it is not known what it missed. */
const snapshot = async (
  { db, transcripts, renderings, queue }: EventDeps,
  userId: string,
  id: number,
): Promise<NumberedEvent> => {
  const rendering = { kind: 'transcription' } as const;
  const texts = transcripts.processing(userId).map((transcript) =>
    renderings.text(userId, transcript, rendering).catch((error: unknown) => {
      // Deleted meanwhile, which is an event of its own.
      if (isAppError(error)) return undefined;
      throw error;
    }),
  );
  const processing = (await Promise.all(texts)).filter((text) => text !== undefined);
  const state = `"queue_paused":${queue.isPaused()},"library_damaged":${db.isDamaged}`;
  const data = `{"processing":[${processing.join(',')}],${state}}`;
  return { id, type: 'snapshot', data };
};

/**
 * Writes what the client missed since the event `lastId`, or a snapshot where that is not known, then every event, until
 * the returned function is called. Events that are published while the snapshot is made follow it.
 */
const follow = (deps: EventDeps, userId: string, lastId: number, out: ServerResponse): (() => void) => {
  const { db, events, logger } = deps;
  // Damage is published to those who listen then: whoever comes later learns it from a snapshot.
  const missed = Number.isFinite(lastId) && !db.isDamaged ? events.since(userId, lastId) : undefined;
  let waiting: NumberedEvent[] | undefined = missed === undefined ? [] : undefined;
  for (const event of missed ?? []) write(out, event);
  const unsubscribe = events.subscribe(userId, (event) => {
    if (waiting === undefined) write(out, event);
    else waiting.push(event);
  });
  if (missed !== undefined) return unsubscribe;
  snapshot(deps, userId, events.latest).then(
    (first) => {
      // Ended meanwhile, e.g. because the key was revoked.
      if (out.writableEnded) return;
      for (const event of [first, ...(waiting ?? [])]) write(out, event);
      waiting = undefined;
    },
    (error: unknown) => {
      // The client connects again.
      logger.warn({ reason: messageOf(error) }, 'A snapshot of the jobs could not be made');
      out.destroy();
    },
  );
  return unsubscribe;
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
    const leave = deps.streams.enter(caller.keyHash);
    const unsubscribe = follow(deps, userId, Number(headers['last-event-id']), out);
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
      leave();
    });
    return undefined;
  });
};
