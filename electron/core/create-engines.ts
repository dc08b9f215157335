import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Clock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import { WAITS } from './base/waits.ts';
import type { AppConfig, Host } from './config.ts';
import { createDiarizer, createSpeakerModelTrial } from './engines/diarizer/diarizer.ts';
import { createMediaEngine } from './engines/ffmpeg/engine.ts';
import { findFfmpeg } from './engines/ffmpeg/tools.ts';
import { createHttpClient } from './engines/net/http-client.ts';
import { createPageReader } from './engines/pages/yt-dlp.ts';
import { createTagger } from './engines/tagger/tagger.ts';
import { createWhisperEngine, defaultParallelism, type Parallelism } from './engines/whisper/engine.ts';
import { DeviceService } from './services/devices.ts';
import { IdleWork } from './services/idle-work.ts';
import { BUNDLED_RECOGNIZER } from './services/models/catalogue.ts';
import { modelFileName } from './services/models/files.ts';
import { decodeSample } from './services/models/verify.ts';
import type { NetworkService } from './services/network.ts';
import { namedModelOrigin, type SettingsService } from './services/settings.ts';
import type { WritableDb } from './stores/database.ts';
import { listModelsInUse } from './stores/models.ts';

type Deps = {
  readonly config: AppConfig;
  readonly host: Host;
  readonly settings: SettingsService;
  readonly network: NetworkService;
  readonly logger: Logger;
  readonly db: WritableDb;
  readonly clock: Clock;
  /** The path of a short bundled recording. */
  readonly sample: string;
};

const parallelismOf = (settings: SettingsService): Parallelism => {
  const cores = availableParallelism();
  const defaults = defaultParallelism(cores);
  return {
    // A data folder may come from a machine with more cores.
    threads: Math.min(settings.get('engine.threads'), cores) || defaults.threads,
    concurrency: settings.get('engine.parallel') || defaults.concurrency,
  };
};

/** The programs, processes and connections that do the work: ffmpeg, whisper, the diarizer, HTTP. */
export const createEngines = async (deps: Deps) => {
  const { config, host, settings, network, logger, db, clock, sample } = deps;
  const tools = await findFfmpeg({
    environment: config.environment,
    platform: process.platform,
    folder: config.ffmpegDir,
  });
  const parallelism = parallelismOf(settings);
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
  const idleWork = new IdleWork({ clock, isBusy: () => listModelsInUse(db).length > 0 });
  const devices = new DeviceService({
    db,
    clock,
    logger,
    settings,
    version: config.version,
    addonPath: config.addonPath,
    parallelism,
    fork: () => host.forkWorker(['whisper', config.addonPath]),
    idleWork,
    sample: () => decodeSample({ media, sample }),
    bundled: [join(config.resourcesDir, 'models', modelFileName(BUNDLED_RECOGNIZER))],
  });
  return {
    tools,
    parallelism,
    http,
    media,
    devices,
    idleWork,
    engine: createWhisperEngine({
      fork: host.forkWorker,
      addonPath: config.addonPath,
      idleMs: WAITS.idleModelSeconds * 1000,
      ...parallelism,
      devices,
      log: logger,
    }),
    tagger: createTagger({
      fork: host.forkWorker,
      addonPath: config.addonPath,
      folder: join(config.resourcesDir, 'models'),
      log: logger,
    }),
    diarize: createDiarizer(host.forkWorker),
    trySpeakerModel: createSpeakerModelTrial(host.forkWorker),
    pages: createPageReader(http, config.environment),
  };
};
