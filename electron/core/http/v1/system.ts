import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { AccountService } from '../../services/accounts.ts';
import type { BackupService } from '../../services/backups.ts';
import type { EventHub, NumberedEvent } from '../../services/events.ts';
import { type LanguageModelDeps, tryLanguageModel } from '../../services/language-model.ts';
import type { NetworkService } from '../../services/network.ts';
import type { QueueService } from '../../services/queue.ts';
import type { SystemService } from '../../services/system.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { checkForUpdate, type UpdateDeps } from '../../services/updates.ts';
import { addRoute } from '../add-route.ts';
import { type OpenStreams, startEventStream } from '../open-streams.ts';
import { created, ok, type RequestLog, success } from '../responses.ts';

const HEARTBEAT_MS = 15_000;
/** Most unread bytes of a slow client before it is disconnected; it can resume with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

type EventDeps = {
  readonly accounts: AccountService;
  readonly db: { readonly isDamaged: boolean };
  readonly events: EventHub;
  readonly transcripts: TranscriptService;
  readonly queue: QueueService;
  readonly streams: OpenStreams;
};

const write = (out: ServerResponse, { id, event: { type, ...data } }: NumberedEvent): void => {
  // Checked before writing, so that one large event does not disconnect a client that keeps up.
  if (out.writableLength > MAX_BUFFERED_BYTES) out.destroy();
  else out.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
};

/** The current state, for a client of which it is not known what it missed. */
const snapshot = ({ db, transcripts, queue, events }: EventDeps, userId: string): NumberedEvent => ({
  id: events.latest,
  event: {
    type: 'snapshot',
    processing: transcripts.processing(userId),
    queue_paused: queue.isPaused(),
    library_damaged: db.isDamaged,
  },
});

/**
 * Writes what the client missed since the event `lastId`, or a snapshot if that is not known, then every event, until
 * the returned function is called.
 */
const follow = (deps: EventDeps, userId: string, lastId: number, out: ServerResponse): (() => void) => {
  const { db, events } = deps;
  // Damage is published to those who listen then: later subscribers learn it from a snapshot.
  const missed = Number.isFinite(lastId) && !db.isDamaged ? events.since(userId, lastId) : undefined;
  for (const event of missed ?? [snapshot(deps, userId)]) write(out, event);
  return events.subscribe(userId, (event) => write(out, event));
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

/** The copies of the database. */
export const addBackupRoutes = (server: FastifyInstance, backups: BackupService): void => {
  addRoute(server, routes.listBackups, () => ok(success(backups.list())));
  addRoute(server, routes.createBackup, async () => created(success(await backups.create())));
};

/** `POST /v1/language-model/try` */
export const addLanguageModelRoutes = (server: FastifyInstance, deps: LanguageModelDeps): void => {
  addRoute(server, routes.tryLanguageModel, async () => ok(success(await tryLanguageModel(deps))));
};

/** `GET /v1/network`: the connection log. */
export const addNetworkRoutes = (server: FastifyInstance, network: NetworkService): void => {
  addRoute(server, routes.listConnections, ({ query }) => ok(success(network.list(query.limit))));
};

/** `POST /v1/updates/check` */
export const addUpdateRoutes = (server: FastifyInstance, deps: UpdateDeps): void => {
  addRoute(server, routes.checkForUpdate, async () => ok(success(await checkForUpdate(deps))));
};

type SystemDeps = {
  readonly db: { readonly isDamaged: boolean };
  readonly engine: { readonly isStalled: boolean };
  readonly system: SystemService;
  readonly requestLog: RequestLog;
  readonly version: string;
};

/** Health, facts about the system, and the request log. */
export const addSystemRoutes = (server: FastifyInstance, deps: SystemDeps): void => {
  const { db, engine, system, requestLog, version } = deps;
  const status = () => {
    if (db.isDamaged) return 'damaged';
    return engine.isStalled ? 'engine_stalled' : 'ok';
  };
  addRoute(server, routes.health, () =>
    ok({
      status: status(),
      version,
      uptime: system.uptime(),
    }),
  );
  addRoute(server, routes.system, async () => ok(success(await system.describe())));
  addRoute(server, routes.diskUsage, async () => ok(success(await system.diskUsage())));
  addRoute(server, routes.listRequests, () => ok(success(requestLog.list())));
};
