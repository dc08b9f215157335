import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { isoTime, systemClock } from './base/clock.ts';
import { messageOf } from './base/errors.ts';
import { sha256Hex } from './base/ids.ts';
import type { Logger } from './base/logger.ts';
import { dataPaths } from './base/paths.ts';
import type { ServerFile } from './base/server-file.ts';
import type { AppConfig, Host } from './config.ts';
import { createServices, type Services } from './create-services.ts';
import {
  createFolder,
  describeOwner,
  explainUnwritable,
  hasLibraryFiles,
  prepareFolders,
  restrictFiles,
  sweep,
} from './data-folder.ts';
import { DiskReserve } from './disk-reserve.ts';
import { addAssemblyAiRoutes } from './http/assemblyai/routes.ts';
import { WrongKeys } from './http/guards.ts';
import { addMcpRoutes } from './http/mcp/index.ts';
import { OpenStreams, RepliesInProgress } from './http/open-streams.ts';
import { addOpenAiRoutes } from './http/openai/routes.ts';
import { addRealtimeRoutes } from './http/realtime/routes.ts';
import { RequestLog } from './http/responses.ts';
import { createServer, listen } from './http/server.ts';
import { addAccountRoutes, addVocabularyRoutes, addVoiceRoutes } from './http/v1/accounts.ts';
import { addModelRoutes } from './http/v1/models.ts';
import { addStorageRoutes, createBucketCors } from './http/v1/storage.ts';
import {
  addBackupRoutes,
  addEventRoutes,
  addLanguageModelRoutes,
  addNetworkRoutes,
  addSystemRoutes,
  addUpdateRoutes,
} from './http/v1/system.ts';
import {
  addPlaybackRoutes,
  addQueueRoutes,
  addSearchRoutes,
  addTranscriptRoutes,
  addWebhookRoutes,
} from './http/v1/transcripts.ts';
import { addWhisperServerRoutes } from './http/whisper-servers/routes.ts';
import { fileLogger } from './log.ts';
import { pruneWorkFolders } from './pipeline/source/work-folder.ts';
import { localKey } from './secrets.ts';
import { type Database, openDatabase } from './stores/database.ts';
import { lockFolder } from './stores/lock.ts';
import { runPendingScrub, startScrubbing } from './stores/scrub.ts';
import { isScrubPending } from './stores/scrub-mark.ts';
import { rebuildIndexIfMarked } from './stores/search.ts';
import { deleteAllOthers } from './stores/segments.ts';

const PRUNE_EVERY_MS = 3600_000;
/** How long a stop waits for another program that reads the database, whose log cannot be emptied meanwhile. */
const MAX_READER_WAIT_MS = 5000;
const READER_POLL_MS = 100;

/** A whole Earshot: the service with its HTTP server. */
export type App = {
  /** `http://127.0.0.1:3277`. */
  readonly url: string;
  readonly dataDir: string;
  /** The owner's key for programs on this machine. */
  readonly localKey: string;
  /** Everything below HTTP. */
  readonly services: Services;
  /** A one-time link that opens the window in a browser. */
  loginUrl(): string;
  /** Resolves once no event stream of the local key is open: no other command holds this service. */
  unused(): Promise<void>;
  /** Returns running jobs to the queue at their checkpoints, finishes open requests, and stops. */
  close(): Promise<void>;
};

type ServerInfo = {
  readonly logger: Logger;
  readonly requestLog: RequestLog;
  readonly wrongKeys: WrongKeys;
  readonly streams: OpenStreams;
  readonly version: string;
};

/** Deletes a user with everything that belongs to the user. */
const deleteUser = async ({ accounts, transcripts, files }: Services, id: string): Promise<void> => {
  const user = accounts.deletableUser(id);
  await transcripts.removeAllOf(user.id);
  await files.recordings.removeAllOf(user.id);
  await files.service.removeAllOf(user.id);
  accounts.removeUser(user.id);
};

const addRoutes = async (scope: FastifyInstance, services: Services, info: ServerInfo): Promise<void> => {
  const { service: files, uploads } = services.files;
  addAccountRoutes(scope, { ...services, ...info, deleteUser: (id) => deleteUser(services, id) });
  addTranscriptRoutes(scope, { ...services, ...info });
  addPlaybackRoutes(scope, services.audio);
  addQueueRoutes(scope, services.queue);
  addSearchRoutes(scope, services.search);
  addSystemRoutes(scope, { ...services, ...info });
  addBackupRoutes(scope, services.backups);
  addEventRoutes(scope, { ...services, ...info });
  await addStorageRoutes(scope, services.files);
  await addOpenAiRoutes(scope, { ...services, uploads, files });
  await addWhisperServerRoutes(scope, { ...services, uploads, files });
  await addAssemblyAiRoutes(scope, { ...services, ...info, uploads, files, baseUrl: services.address.url });
  addRealtimeRoutes(scope, services);
  addMcpRoutes(scope, { ...services, ...info });
  addWebhookRoutes(scope, services.webhooks);
  addVoiceRoutes(scope, services.speakers);
  addVocabularyRoutes(scope, services.vocabulary);
  await addModelRoutes(scope, services.models);
  addLanguageModelRoutes(scope, services);
  addNetworkRoutes(scope, services.network);
  addUpdateRoutes(scope, { ...services, version: info.version });
};

const warnOfScrub = (logger: Logger, error: unknown): void => {
  logger.warn({ reason: messageOf(error) }, 'Deleted text could not be removed from the database files yet');
};

/** Erases what is still to be erased: at the start and at a stop, which a damaged database must not prevent. */
const finishScrub = (db: Database, logger: Logger): void => {
  try {
    deleteAllOthers(db);
    runPendingScrub(db, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (!db.isDamaged) throw error;
    warnOfScrub(logger, error);
  }
};

/** Erases it at a stop, if other programs let it; else the log says so, and the next start does the rest. */
const finishScrubAtStop = async (db: Database, logger: Logger): Promise<void> => {
  const until = performance.now() + MAX_READER_WAIT_MS;
  finishScrub(db, logger);
  while (!db.isDamaged && isScrubPending(db)) {
    if (performance.now() > until) {
      warnOfScrub(logger, new Error('another program reads the database; the next start goes on'));
      return;
    }
    await delay(READER_POLL_MS);
    finishScrub(db, logger);
  }
};

/** Locks the data folder and opens its database, with everything finished that an earlier run owed to it. */
const openData = (config: AppConfig) => {
  const paths = dataPaths(config.dataDir);
  createFolder(paths.root);
  const reserve = new DiskReserve(paths.reserve);
  // Before the first write, which is that of the lock's journal.
  reserve.giveUpIfFull();
  prepareFolders(paths);
  const lock = lockFolder(paths.lockFile, () => describeOwner(paths));
  const logger = fileLogger(paths.logs);
  try {
    const db = openDatabase(paths.database, {
      logger,
      now: systemClock.now,
      hasLibraryFiles: () => hasLibraryFiles(paths),
      giveUpReserve: reserve.giveUp,
    });
    restrictFiles(paths);
    const indexed = rebuildIndexIfMarked(db);
    if (indexed !== undefined && indexed > 0)
      logger.info({ transcripts: indexed }, 'The search index was rebuilt');
    finishScrub(db, logger);
    return { paths, lock, logger, db, reserve };
  } catch (error) {
    lock.release();
    throw error;
  }
};

type Data = ReturnType<typeof openData>;

/** Takes up what an earlier run left, accepts requests, and says so in the data folder. Returns the address. */
const open = async (
  config: AppConfig,
  { paths, logger }: Data,
  services: Services,
  server: FastifyInstance,
): Promise<string> => {
  await services.files.open();
  await pruneWorkFolders(services);
  await sweep(paths.transcripts, (id) => services.transcripts.exists(id));
  await services.models.open();
  await services.backups.open();
  const url = await listen(server, config);
  services.address.set(url);
  const startedAt = isoTime(services.clock.now());
  const { version, temporary = false } = config;
  const serverInfo: ServerFile = { url, pid: process.pid, version, startedAt, temporary };
  writeFileSync(paths.serverFile, JSON.stringify(serverInfo), { mode: 0o600 });
  logger.info({ version: config.version, port: Number(new URL(url).port) }, 'Earshot started');
  return url;
};

/** Begins what runs beside the requests; returns what ends the part of it that `stop` does not. */
const startBackground = ({ db, logger, reserve }: Data, services: Services): (() => Promise<void>) => {
  services.webhooks.start();
  services.jobs.start();
  services.followUp.start();
  services.devices.start();
  const pruning = setInterval(() => {
    pruneWorkFolders(services).catch((error: unknown) => {
      logger.warn({ reason: messageOf(error) }, 'Old work folders could not be removed');
    });
  }, PRUNE_EVERY_MS).unref();
  reserve.start((error) => logger.warn({ reason: messageOf(error) }, 'The disk reserve was not made'));
  services.backups.start();
  const stopScrubbing = startScrubbing(db, (error) => warnOfScrub(logger, error));
  return async () => {
    clearInterval(pruning);
    await stopScrubbing();
    await reserve.stop();
  };
};

/** Ends the services, whether they have started or not. */
const stop = async (
  { paths, db, logger }: Data,
  services: Services,
  server: FastifyInstance,
  repliesSent: () => Promise<void>,
): Promise<void> => {
  await services.live.close();
  await services.jobs.close();
  await services.followUp.close();
  // Requests that waited for a job are answered now; closing the server at once would cut their connections instead.
  await repliesSent();
  await services.models.close();
  await server.close();
  await services.files.close();
  await services.webhooks.close();
  await services.renderings.close();
  await services.idleWork.close();
  await services.devices.close();
  await services.engine.close();
  await services.tagger.close();
  await services.http.close();
  services.network.close();
  rmSync(paths.serverFile, { force: true });
  // A copy that is being made reads the database.
  await services.backups.stop();
  await finishScrubAtStop(db, logger);
  await services.backups.close();
};

const startOn = async (data: Data, config: AppConfig, host: Host): Promise<App> => {
  const { paths, lock, logger, db } = data;
  const services = await createServices({ config, host, paths, db, logger });
  const key = localKey(paths, services.accounts);
  const localKeyHash = sha256Hex(key);
  let closing: Promise<void> | undefined;
  const requestLog = new RequestLog();
  const wrongKeys = new WrongKeys(services.clock);
  const server = await createServer({
    ...services,
    logger,
    requestLog,
    wrongKeys,
    version: config.version,
    host: config.host,
    localKeyHash,
    rendererDir: config.rendererDir,
    resourcesDir: config.resourcesDir,
    isShuttingDown: () => closing !== undefined,
    bucket: createBucketCors(services.files),
  });
  const replies = new RepliesInProgress(server);
  const streams = new OpenStreams();
  const info = { logger, requestLog, wrongKeys, streams, version: config.version };
  await server.register((scope) => addRoutes(scope, services, info));
  const url = await open(config, data, services, server).catch(async (error: unknown) => {
    // What the start failed of counts, not what its end does.
    await stop(data, services, server, replies.now()).catch((left: unknown) => {
      logger.warn({ reason: messageOf(left) }, 'A start that failed could not be ended in order');
    });
    throw error;
  });
  const stopBackground = startBackground(data, services);
  const close = async () => {
    const repliesSent = replies.now();
    await stopBackground();
    await stop(data, services, server, repliesSent);
    db.close();
    logger.info({}, 'Earshot stopped');
    lock.release();
  };
  return {
    url,
    dataDir: paths.root,
    localKey: key,
    services,
    loginUrl: () => services.accounts.newLoginLink(url),
    unused: () => streams.none(localKeyHash),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

/**
 * Starts the service on a data folder; resolves once it accepts requests. Throws `conflict` while another process uses
 * the folder, or if the port is taken.
 */
export const createApp = async (config: AppConfig, host: Host): Promise<App> => {
  const data = explainUnwritable(() => openData(config));
  try {
    return await startOn(data, config, host);
  } catch (error) {
    // The window shows what went wrong; meanwhile the command line may repair the folder.
    data.db.close();
    data.lock.release();
    throw error;
  }
};
