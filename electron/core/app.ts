import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isoTime, systemClock } from './base/clock.ts';
import { messageOf } from './base/errors.ts';
import { newToken } from './base/ids.ts';
import type { Logger } from './base/logger.ts';
import { type DataPaths, dataPaths } from './base/paths.ts';
import { type AppConfig, type Host, runOverrides } from './config.ts';
import { describeOwner, prepareFolders, sweep } from './data-folder.ts';
import { createDiarizer, createSpeakerModelTrial } from './engines/diarizer/diarizer.ts';
import { createMediaEngine } from './engines/ffmpeg/engine.ts';
import { findFfmpeg } from './engines/ffmpeg/tools.ts';
import type { FfmpegTools } from './engines/ffmpeg/types.ts';
import { createHttpClient } from './engines/net/http-client.ts';
import { createPageReader } from './engines/pages/yt-dlp.ts';
import { createWhisperEngine } from './engines/whisper/engine.ts';
import { defaultParallelism, type Parallelism } from './engines/whisper/parallelism.ts';
import { addAssemblyAiRoutes } from './http/assemblyai/routes.ts';
import { addMcpRoutes } from './http/mcp/index.ts';
import { addOpenAiRoutes } from './http/openai/routes.ts';
import { RequestLog } from './http/request-log.ts';
import { createServer, listen } from './http/server.ts';
import { addAccountRoutes } from './http/v1/accounts.ts';
import { addEventRoutes } from './http/v1/events.ts';
import { addModelRoutes } from './http/v1/models.ts';
import { addNetworkRoutes } from './http/v1/network.ts';
import { addPlaybackRoutes } from './http/v1/playback.ts';
import { addQueueRoutes } from './http/v1/queue.ts';
import { addSearchRoutes } from './http/v1/search.ts';
import { createBucketCors } from './http/v1/storage/bucket-cors.ts';
import { addStorageRoutes } from './http/v1/storage.ts';
import { addSystemRoutes } from './http/v1/system.ts';
import { addTranscriptRoutes } from './http/v1/transcripts.ts';
import { addVoiceRoutes } from './http/v1/voices.ts';
import { addWebhookRoutes } from './http/v1/webhooks.ts';
import { JobRunner } from './jobs/runner.ts';
import { fileLogger } from './log.ts';
import { createAnalyser } from './pipeline/findings/analyze.ts';
import { isSetUp, summarizerOf } from './pipeline/findings/summarizer.ts';
import { createJobWork } from './pipeline/job.ts';
import { pruneWorkFolders } from './pipeline/source/work-folder.ts';
import { installationSecret, localKey } from './secrets.ts';
import { AccountService } from './services/accounts.ts';
import { EventHub } from './services/events.ts';
import { createFiles, type Files } from './services/files/create.ts';
import { ModelService } from './services/models/index.ts';
import { sameSpeakerCosineOf } from './services/models/speaker-models.ts';
import { NetworkService } from './services/network.ts';
import { QueueService } from './services/queue.ts';
import { SearchService } from './services/search.ts';
import { languageModelOf, namedModelOrigin, pipelineSettings, SettingsService } from './services/settings.ts';
import { SystemService } from './services/system.ts';
import { TranscriptAudio } from './services/transcripts/audio.ts';
import { TranscriptService } from './services/transcripts/index.ts';
import { TranscriptPagination } from './services/transcripts/pagination.ts';
import { UsageService } from './services/usage.ts';
import { VoiceService } from './services/voices.ts';
import { WebhookService } from './services/webhooks.ts';
import { type Database, openDatabase } from './stores/database.ts';
import { lockFolder } from './stores/lock.ts';
import { runPendingScrub } from './stores/scrub.ts';
import { rebuildIndexIfMarked } from './stores/search.ts';

const PRUNE_EVERY_MS = 3600_000;

/** A whole Earshot: the service with its HTTP server. */
export type App = {
  /** `http://127.0.0.1:3277`. */
  readonly url: string;
  readonly dataDir: string;
  /** The owner's key for programs on this machine. */
  readonly localKey: string;
  readonly settings: SettingsService;
  readonly models: ModelService;
  /** A link that opens the window in a browser, once. */
  loginUrl(): string;
  /** Checkpoints running jobs, answers what is under way, and ends. */
  close(): Promise<void>;
};

const parallelismOf = (settings: SettingsService): Parallelism => {
  const defaults = defaultParallelism(availableParallelism());
  return {
    threads: settings.get('engine.threads') || defaults.threads,
    concurrency: settings.get('engine.parallel') || defaults.concurrency,
  };
};

/** Everything below HTTP, wired. */
const createServices = (
  config: AppConfig,
  host: Host,
  paths: DataPaths,
  db: Database,
  logger: Logger,
  tools: FfmpegTools,
) => {
  const clock = systemClock;
  const settings = new SettingsService(db, runOverrides(config), config.defaults);
  const accounts = new AccountService(db, clock, config.apiKey);
  const events = new EventHub();
  const usage = new UsageService(db);
  const search = new SearchService(db);
  let url = '';
  const secret = installationSecret(paths);
  const files: Files = createFiles({
    db,
    paths,
    settings,
    clock,
    logger,
    events,
    secret,
    baseUrl: () => url,
    environment: config.environment,
    onAudioGone: ({ userId, transcriptId }) =>
      events.publish(userId, {
        type: 'transcript.changed',
        transcript: transcripts.get(userId, transcriptId),
      }),
  });
  const audio = new TranscriptAudio({
    db,
    clock,
    paths,
    secret,
    baseUrl: () => url,
    locate: (fileId) => files.service.locate(fileId),
  });
  const parallelism = parallelismOf(settings);
  const engine = createWhisperEngine({
    fork: host.forkWorker,
    addonPath: config.addonPath,
    idleMs: settings.get('engine.idleSeconds') * 1000,
    ...parallelism,
    acceleration: () => settings.get('engine.acceleration'),
    log: logger,
  });
  const network = new NetworkService({ db, clock, logger });
  const http = createHttpClient({
    policy: () => ({
      allowPrivateAddresses: settings.get('network.allowPrivateAddresses'),
      offline: settings.get('network.offline'),
      modelOrigin: namedModelOrigin(settings),
    }),
    version: config.version,
    environment: config.environment,
    onConnection: (record) => network.note(record),
  });
  const media = createMediaEngine(tools);
  const models = new ModelService({
    db,
    clock,
    logger,
    settings,
    http,
    engine,
    media,
    dirs: { installed: paths.models, bundled: join(config.resourcesDir, 'models') },
    trySpeakerModel: createSpeakerModelTrial(host.forkWorker),
    sample: join(config.resourcesDir, 'samples', '01-short-note.wav'),
    onChange: (id, state, received, total) =>
      events.publishToAll({ type: 'model.progress', id, received, total, state }),
  });
  const analyse = createAnalyser({
    secret,
    thread: host.analysisThread,
    summarizer: (signal) => summarizerOf(http, languageModelOf(settings), signal),
  });
  const work = createJobWork({
    analyse,
    hasSummarizer: () => isSetUp(languageModelOf(settings)),
    diarize: createDiarizer(host.forkWorker),
    speakerModels: () => models.speakerModels(),
    db,
    clock,
    logger,
    paths,
    media,
    http,
    pages: createPageReader(http, config.environment),
    engine,
    models,
    settings: pipelineSettings(settings),
    files: files.service,
  });
  const jobs: JobRunner = new JobRunner({
    db,
    clock,
    logger,
    boot: newToken(8),
    concurrency: () => settings.get('queue.concurrency'),
    windingUp: parallelism.concurrency - 1,
    work,
    watcher: {
      progress: (transcript, segments, from) => transcripts.announceProgress(transcript, segments, from),
      ended: (transcript) => transcripts.announceEnd(transcript),
      over: () => webhooks.wake(),
    },
  });
  const voices = new VoiceService({ db, clock, sameVoice: (model) => sameSpeakerCosineOf(model).across });
  const transcripts: TranscriptService = new TranscriptService({
    db,
    clock,
    paths,
    settings,
    models,
    usage,
    events,
    jobs,
    voices,
    analyse,
    baseUrl: () => url,
    files: files.service,
  });
  const webhooks = new WebhookService({
    db,
    clock,
    logger,
    http,
    retrySeconds: () => settings.get('webhooks.retrySeconds'),
    present: (transcript) => transcripts.present(transcript),
  });
  const system = new SystemService({
    version: config.version,
    paths,
    clock,
    settings,
    media,
    tools,
    engine,
    parallelism,
    scanner: () => files.scanner.engine(),
  });
  const setUrl = (bound: string) => {
    url = bound;
  };
  return {
    db,
    paths,
    clock,
    search,
    audio,
    files,
    setUrl,
    settings,
    accounts,
    events,
    usage,
    models,
    engine,
    http,
    network,
    webhooks,
    jobs,
    queue: new QueueService(db, events, jobs),
    transcripts,
    voices,
    pagination: new TranscriptPagination(db),
    system,
  };
};

/**
 * Starts the whole service on a data folder and answers once requests are accepted.
 * Throws AppError `conflict` when another process uses the folder or the port is taken.
 */
export const createApp = async (config: AppConfig, host: Host): Promise<App> => {
  const paths = dataPaths(config.dataDir);
  prepareFolders(paths);
  const tools = await findFfmpeg({
    environment: config.environment,
    platform: process.platform,
    resourcesPath: config.resourcesDir,
  });
  const lock = lockFolder(paths.lockFile, () => describeOwner(paths));
  const logger = fileLogger(paths.logs);
  const db = openDatabase(paths.database, { logger, now: systemClock.now });
  const indexed = rebuildIndexIfMarked(db);
  if (indexed !== undefined) logger.info({ transcripts: indexed }, 'The search index was rebuilt');
  runPendingScrub(db);
  const services = createServices(config, host, paths, db, logger, tools);
  const key = localKey(paths, services.accounts);
  let closing: Promise<void> | undefined;
  const requestLog = new RequestLog();
  const server = await createServer({
    ...services,
    logger,
    requestLog,
    version: config.version,
    host: config.host,
    rendererDir: config.rendererDir,
    resourcesDir: config.resourcesDir,
    isShuttingDown: () => closing !== undefined,
    bucket: createBucketCors(services.files),
  });
  await server.register(async (scope) => {
    addAccountRoutes(scope, {
      ...services,
      deleteUser: async (id) => {
        const user = services.accounts.deletableUser(id);
        await services.transcripts.removeAllOf(user.id);
        await services.files.service.removeAllOf(user.id);
        services.accounts.removeUser(user.id);
      },
    });
    addTranscriptRoutes(scope, services.transcripts);
    addPlaybackRoutes(scope, services.audio);
    addQueueRoutes(scope, services.queue);
    addSearchRoutes(scope, services.search);
    addSystemRoutes(scope, { ...services, requestLog, version: config.version });
    addEventRoutes(scope, services);
    await addStorageRoutes(scope, services.files);
    const { service, uploads, baseUrl } = services.files;
    await addOpenAiRoutes(scope, { ...services, uploads, files: service });
    await addAssemblyAiRoutes(scope, { ...services, uploads, baseUrl });
    addMcpRoutes(scope, { ...services, version: config.version });
    addWebhookRoutes(scope, services.webhooks);
    addVoiceRoutes(scope, services.voices);
    addModelRoutes(scope, services.models);
    addNetworkRoutes(scope, services.network);
  });
  await services.files.open();
  await pruneWorkFolders(services);
  await sweep(paths.transcripts, (id) => services.transcripts.exists(id));
  await services.models.open();
  const url = await listen(server, config);
  services.setUrl(url);
  const startedAt = isoTime(services.clock.now());
  writeFileSync(
    paths.serverFile,
    JSON.stringify({ url, pid: process.pid, version: config.version, startedAt }),
    { mode: 0o600 },
  );
  logger.info({ version: config.version, port: Number(new URL(url).port) }, 'Earshot started');
  services.webhooks.start();
  services.jobs.start();
  const pruning = setInterval(() => {
    pruneWorkFolders(services).catch((error: unknown) => {
      logger.warn({ reason: messageOf(error) }, 'Old files of failed jobs were not removed');
    });
  }, PRUNE_EVERY_MS).unref();
  const close = async () => {
    clearInterval(pruning);
    await services.jobs.close();
    await services.models.close();
    await server.close();
    await services.files.close();
    await services.webhooks.close();
    await services.engine.close();
    await services.http.close();
    services.network.close();
    rmSync(paths.serverFile, { force: true });
    db.close();
    logger.info({}, 'Earshot stopped');
    lock.release();
  };
  return {
    url,
    dataDir: paths.root,
    localKey: key,
    settings: services.settings,
    models: services.models,
    loginUrl: () => `${url}/#token=${services.accounts.newLoginToken()}`,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};
