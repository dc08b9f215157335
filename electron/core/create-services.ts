import { join } from 'node:path';
import { systemClock } from './base/clock.ts';
import { Emitter } from './base/emitter.ts';
import { newToken } from './base/ids.ts';
import type { Logger } from './base/logger.ts';
import type { DataPaths } from './base/paths.ts';
import { ServerAddress } from './base/server-address.ts';
import type { AppConfig, Host } from './config.ts';
import { createEngines } from './create-engines.ts';
import { Renderings } from './http/long/renderings.ts';
import { JobEvents } from './jobs/events.ts';
import { JobRunner } from './jobs/runner.ts';
import { createAnalyzer } from './pipeline/findings/analyze.ts';
import { isConfigured, summarizerOf } from './pipeline/findings/summarizer.ts';
import { createJobWork } from './pipeline/job.ts';
import { redactNamesOfFailed } from './pipeline/redaction/names.ts';
import { installationSecret } from './secrets.ts';
import { AccountService } from './services/accounts.ts';
import { BackupService } from './services/backups.ts';
import { EventHub } from './services/events.ts';
import { createFiles } from './services/files/create.ts';
import type { SourceDeleted } from './services/files/service.ts';
import { SPEECH_DETECTOR } from './services/models/catalogue.ts';
import { modelFileName } from './services/models/files.ts';
import { ModelService } from './services/models/index.ts';
import { thresholdsOf } from './services/models/speaker-models.ts';
import { NetworkService } from './services/network.ts';
import { QueueService } from './services/queue.ts';
import { SearchService } from './services/search.ts';
import { languageModelOf, pipelineSettings, SettingsService } from './services/settings.ts';
import { SpeakerService } from './services/speakers.ts';
import { SystemService } from './services/system.ts';
import { TranscriptAudio } from './services/transcripts/audio.ts';
import { FollowUpAnalyses } from './services/transcripts/follow-up.ts';
import { TranscriptService } from './services/transcripts/index.ts';
import { TranscriptPagination } from './services/transcripts/pagination.ts';
import { publishTranscriptEvents } from './services/transcripts/publish.ts';
import { UsageService } from './services/usage.ts';
import { VocabularyService } from './services/vocabulary.ts';
import { WebhookService } from './services/webhooks.ts';
import type { Database } from './stores/database.ts';
import { unknownSettings } from './stores/settings.ts';

type Deps = {
  readonly config: AppConfig;
  readonly host: Host;
  readonly paths: DataPaths;
  readonly db: Database;
  readonly logger: Logger;
};

/** Everything below HTTP, in the order in which it is built: nothing uses what does not exist yet. */
export const createServices = async ({ config, host, paths, db, logger }: Deps) => {
  const clock = systemClock;
  const secret = await installationSecret(paths, host.secretBox);
  const address = new ServerAddress();
  const baseUrl = address.url;
  const events = new EventHub();
  db.onDamaged(() => events.publishToAll({ type: 'library.damaged' }));
  const jobEvents = new JobEvents();
  const fileEvents = new Emitter<{ sourceDeleted: SourceDeleted }>();

  const settings = new SettingsService(db, config.overrides, config.defaults, paths.root);
  const removed = unknownSettings(db);
  if (removed.length > 0)
    logger.info({ settings: removed.join(', ') }, 'Settings of another version have no effect');
  const accounts = new AccountService(db, clock, config.apiKey);
  const usage = new UsageService(db);
  const vocabulary = new VocabularyService({ db, clock });
  const search = new SearchService(db);
  const network = new NetworkService({ db, clock, logger });
  const speakers = new SpeakerService({
    db,
    clock,
    sameSpeakerCosine: (model) => thresholdsOf(model).across,
    embeddingModel: () => settings.get('speakers.embedding'),
  });

  const sample = join(config.resourcesDir, 'samples', 'two-readers.mp3');
  const engines = await createEngines({ config, host, settings, network, logger, db, clock, sample });
  const { engine, devices, http, media } = engines;
  const models = new ModelService({
    db,
    clock,
    logger,
    settings,
    http,
    engine,
    media,
    temporary: paths.temporary,
    dirs: { installed: paths.models, bundled: join(config.resourcesDir, 'models') },
    trySpeakerModel: engines.trySpeakerModel,
    sample,
    onChange: (id, state, received, total) =>
      events.publishToAll({ type: 'model.progress', id, received, total, state }),
  });

  const files = createFiles({
    db,
    paths,
    settings,
    clock,
    logger,
    events,
    secret,
    baseUrl,
    environment: config.environment,
    onSourceDeleted: (source) => fileEvents.emit('sourceDeleted', source),
  });
  const audio = new TranscriptAudio({
    db,
    clock,
    paths,
    secret,
    baseUrl,
    media,
    locate: (fileId) => files.service.locate(fileId),
  });

  const analyze = createAnalyzer({
    secret,
    thread: host.analysisThread,
    tagger: (signal) => ({ tag: (sentences) => engines.tagger.tag(sentences, signal) }),
    summarizer: (signal) => summarizerOf(http, languageModelOf(settings), signal),
  });
  const work = createJobWork({
    analyze,
    hasSummarizer: () => isConfigured(languageModelOf(settings)),
    diarize: engines.diarize,
    speakerModels: () => models.speakerModels(),
    db,
    clock,
    logger,
    paths,
    media,
    http,
    pages: engines.pages,
    engine,
    speechModel: join(config.resourcesDir, 'models', modelFileName(SPEECH_DETECTOR)),
    models,
    settings: pipelineSettings(settings),
    files: files.service,
  });
  const jobs = new JobRunner({
    db,
    clock,
    logger,
    events: jobEvents,
    lease: newToken(8),
    concurrency: () => settings.get('queue.concurrency'),
    // As many as would otherwise leave part of the engine idle.
    maxDraining: engines.parallelism.concurrency - 1,
    work,
    redactNames: (transcript) => redactNamesOfFailed({ db, analyze }, transcript),
  });

  const followUp = new FollowUpAnalyses({
    db,
    logger,
    analyze,
    jobEvents,
    onChange: (id) => transcripts.publish('transcript.changed', id),
  });
  const transcripts: TranscriptService = new TranscriptService({
    db,
    clock,
    paths,
    models,
    creditRate: pipelineSettings(settings).creditRate,
    events,
    jobs,
    jobEvents,
    speakers,
    analyze,
    followUp,
    baseUrl,
    files: files.service,
  });
  publishTranscriptEvents({ jobEvents, fileEvents, hub: events, transcripts });
  const renderings = new Renderings({
    transcripts,
    databasePath: paths.database,
    thread: host.renderingThread,
  });
  const webhooks = new WebhookService({
    db,
    clock,
    logger,
    http,
    jobEvents,
    render: ({ userId, id }, message) => renderings.current(userId, id, { kind: 'webhook', message }),
  });
  const system = new SystemService({
    version: config.version,
    openCommand: config.openCommand ?? 'earshot open',
    paths,
    clock,
    settings,
    media,
    tools: engines.tools,
    engine,
    devices,
    parallelism: engines.parallelism,
    tagger: engines.tagger,
    scanner: () => files.scanner.engine(),
  });
  const backups = new BackupService({
    db,
    paths,
    clock,
    logger,
    settings,
    isIdle: () => jobs.isIdle,
    thread: host.databaseThread,
  });
  return {
    db,
    backups,
    paths,
    clock,
    address,
    settings,
    accounts,
    events,
    usage,
    vocabulary,
    search,
    network,
    speakers,
    engine,
    tagger: engines.tagger,
    devices,
    idleWork: engines.idleWork,
    http,
    models,
    files,
    audio,
    jobs,
    queue: new QueueService(db, events, jobs),
    transcripts,
    followUp,
    renderings,
    pagination: new TranscriptPagination(db),
    webhooks,
    system,
  };
};

export type Services = Awaited<ReturnType<typeof createServices>>;
