import { join } from 'node:path';
import { systemClock } from './base/clock.ts';
import { newToken } from './base/ids.ts';
import type { Logger } from './base/logger.ts';
import type { DataPaths } from './base/paths.ts';
import { ServerAddress } from './base/server-file.ts';
import type { AppConfig, Host } from './config.ts';
import { createEngines } from './create-engines.ts';
import { Renderings } from './http/long/renderings.ts';
import { JobEvents } from './jobs/events.ts';
import { JobRunner } from './jobs/runner.ts';
import { createAnalyzer, isConfigured, summarizerOf } from './pipeline/findings/analyze.ts';
import { createJobWork } from './pipeline/job.ts';
import { redactNamesOfFailed } from './pipeline/redaction/names.ts';
import { installationSecret } from './secrets.ts';
import { AccountService, UsageService } from './services/accounts.ts';
import { BackupService } from './services/backups.ts';
import { EventHub } from './services/events.ts';
import { createFiles } from './services/files/create.ts';
import { soundFormatOf } from './services/files/sound-format.ts';
import { LiveService } from './services/live/service.ts';
import { SPEECH_DETECTOR, thresholdsOf } from './services/models/catalogue.ts';
import { modelFileName } from './services/models/files.ts';
import { ModelService } from './services/models/index.ts';
import { NetworkService } from './services/network.ts';
import { QueueService } from './services/queue.ts';
import { SearchService } from './services/search.ts';
import { languageModelOf, pipelineSettings, SettingsService } from './services/settings.ts';
import { SpeakerService } from './services/speakers.ts';
import { SystemService } from './services/system.ts';
import { TranscriptAudio } from './services/transcripts/audio.ts';
import { FollowUpAnalyses } from './services/transcripts/follow-up.ts';
import { TranscriptService } from './services/transcripts/index.ts';
import { TranscriptPagination } from './services/transcripts/list.ts';
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

/** What the other groups lean on: accounts, settings, events, and what only reads the database. */
const createGround = async ({ config, host, paths, db, logger }: Deps) => {
  const clock = systemClock;
  const address = new ServerAddress();
  const events = new EventHub();
  db.onDamaged(() => events.publishToAll({ type: 'library.damaged' }));
  const settings = new SettingsService(db, config.overrides, config.defaults, paths.root);
  const removed = unknownSettings(db);
  if (removed.length > 0)
    logger.info({ settings: removed.join(', ') }, 'Settings of another version have no effect');
  return {
    config,
    host,
    paths,
    db,
    logger,
    clock,
    secret: await installationSecret(paths, host.secretBox),
    address,
    baseUrl: address.url,
    events,
    jobEvents: new JobEvents(),
    liveSessions: new Map<string, () => Promise<void>>(),
    /** Identifies this run of the program in the queue. */
    lease: newToken(8),
    settings,
    accounts: new AccountService(db, clock, config.apiKey),
    usage: new UsageService(db),
    vocabulary: new VocabularyService({ db, clock }),
    search: new SearchService(db),
    pagination: new TranscriptPagination(db),
    network: new NetworkService({ db, clock, logger }),
    speakers: new SpeakerService({
      db,
      clock,
      sameSpeakerCosine: (model) => thresholdsOf(model).across,
      embeddingModel: () => settings.get('speakers.embedding'),
    }),
  };
};
type Ground = Awaited<ReturnType<typeof createGround>>;

/** The engines, and the models that they load. */
const createRecognition = async (ground: Ground) => {
  const { config, paths, events } = ground;
  const sample = join(config.resourcesDir, 'samples', 'two-readers.mp3');
  const engines = await createEngines({ ...ground, sample });
  const models = new ModelService({
    ...ground,
    ...engines,
    dirs: { installed: paths.models, bundled: join(config.resourcesDir, 'models') },
    temporary: paths.temporary,
    sample,
    onChange: (id, state, received, total) =>
      events.publishToAll({ type: 'model.progress', id, received, total, state }),
  });
  const speechModel = join(config.resourcesDir, 'models', modelFileName(SPEECH_DETECTOR));
  return { ...engines, models, speechModel };
};
type Recognition = Awaited<ReturnType<typeof createRecognition>>;

/** Stored files, and the audio of transcripts. */
const createStorage = (
  ground: Ground,
  { media }: Recognition,
  onSourceDeleted: (transcriptId: string) => void,
) => {
  const { environment } = ground.config;
  const soundFormat = soundFormatOf(media);
  const files = createFiles({ ...ground, environment, onSourceDeleted, soundFormat });
  const locate = (fileId: string) => files.service.locate(fileId);
  return { files, audio: new TranscriptAudio({ ...ground, media, locate }) };
};
type Storage = ReturnType<typeof createStorage>;

/** The analyzer, and the runner of the jobs. */
const createJobs = (ground: Ground, recognition: Recognition, { files }: Storage) => {
  const { host, db, secret, settings } = ground;
  const { http, models, parallelism, tagger } = recognition;
  const analyze = createAnalyzer({
    secret,
    thread: host.analysisThread,
    tagger: (signal) => ({ tag: (sentences) => tagger.tag(sentences, signal) }),
    summarizer: (signal) => summarizerOf(http, languageModelOf(settings), signal),
  });
  const work = createJobWork({
    ...ground,
    ...recognition,
    analyze,
    hasSummarizer: () => isConfigured(languageModelOf(settings)),
    speakerModels: () => models.speakerModels(),
    settings: pipelineSettings(settings),
    files: files.service,
  });
  const jobs = new JobRunner({
    ...ground,
    events: ground.jobEvents,
    concurrency: () => settings.get('queue.concurrency'),
    // As many as would otherwise leave part of the engine idle.
    maxDraining: parallelism.concurrency - 1,
    work,
    redactNames: (transcript) => redactNamesOfFailed({ db, analyze }, transcript),
  });
  return { analyze, jobs };
};
type Jobs = ReturnType<typeof createJobs>;

/** Transcripts, and what follows their edits and ends. */
const createTranscripts = (
  ground: Ground,
  { http, models }: Recognition,
  { files }: Storage,
  { analyze, jobs }: Jobs,
) => {
  const { host, paths, db, events, settings } = ground;
  const followUp = new FollowUpAnalyses({
    ...ground,
    analyze,
    onChange: (id) => transcripts.publish('transcript.changed', id),
  });
  const transcripts: TranscriptService = new TranscriptService({
    ...ground,
    models,
    creditRate: pipelineSettings(settings).creditRate,
    jobs,
    analyze,
    followUp,
    files: files.service,
  });
  const renderings = new Renderings({
    transcripts,
    databasePath: paths.database,
    thread: host.renderingThread,
  });
  const webhooks = new WebhookService({
    ...ground,
    http,
    render: ({ userId, id }, message) => renderings.current(userId, id, { kind: 'webhook', message }),
  });
  return { followUp, transcripts, renderings, webhooks, queue: new QueueService(db, events, jobs) };
};

/** Everything below HTTP, in the order in which it is built: nothing uses what does not exist yet. */
export const createServices = async (deps: Deps) => {
  const ground = await createGround(deps);
  const { config, host, paths } = deps;
  const recognition = await createRecognition(ground);
  const storage = createStorage(ground, recognition, (id) =>
    ofTranscripts.transcripts.publish('transcript.changed', id),
  );
  const { analyze, jobs } = createJobs(ground, recognition, storage);
  const ofTranscripts = createTranscripts(ground, recognition, storage, { analyze, jobs });
  const { files } = storage;
  const live = new LiveService({
    ...ground,
    ...recognition,
    ...ofTranscripts,
    jobs,
    beamSize: () => ground.settings.get('engine.beamSize'),
    maxSessions: () => ground.settings.get('limits.liveSessions'),
    creditRate: pipelineSettings(ground.settings).creditRate,
  });
  const { media, tools, engine, tagger, devices, parallelism, idleWork, http, models } = recognition;
  const system = new SystemService({
    ...ground,
    version: config.version,
    openCommand: config.openCommand ?? 'earshot open',
    media,
    tools,
    engine,
    devices,
    parallelism,
    tagger,
    scanner: () => files.scanner.engine(),
  });
  const backups = new BackupService({
    ...ground,
    paths,
    isIdle: () => jobs.isIdle,
    thread: host.databaseThread,
  });
  return {
    ...ground,
    ...storage,
    ...ofTranscripts,
    engine,
    tagger,
    devices,
    idleWork,
    http,
    models,
    jobs,
    live,
    system,
    backups,
  };
};

export type Services = Awaited<ReturnType<typeof createServices>>;
