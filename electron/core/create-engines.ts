import { availableParallelism } from 'node:os';
import type { Logger } from './base/logger.ts';
import type { AppConfig, Host } from './config.ts';
import { createDiarizer, createSpeakerModelTrial } from './engines/diarizer/diarizer.ts';
import { createMediaEngine } from './engines/ffmpeg/engine.ts';
import { findFfmpeg } from './engines/ffmpeg/tools.ts';
import { createHttpClient } from './engines/net/http-client.ts';
import { createPageReader } from './engines/pages/yt-dlp.ts';
import { createWhisperEngine } from './engines/whisper/engine.ts';
import { defaultParallelism, type Parallelism } from './engines/whisper/parallelism.ts';
import type { NetworkService } from './services/network.ts';
import { namedModelOrigin, type SettingsService } from './services/settings.ts';

type Deps = {
  readonly config: AppConfig;
  readonly host: Host;
  readonly settings: SettingsService;
  readonly network: NetworkService;
  readonly logger: Logger;
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
export const createEngines = async ({ config, host, settings, network, logger }: Deps) => {
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
  return {
    tools,
    parallelism,
    http,
    media: createMediaEngine(tools),
    engine: createWhisperEngine({
      fork: host.forkWorker,
      addonPath: config.addonPath,
      idleMs: settings.get('engine.idleSeconds') * 1000,
      ...parallelism,
      acceleration: () => settings.get('engine.acceleration'),
      log: logger,
    }),
    diarize: createDiarizer(host.forkWorker),
    trySpeakerModel: createSpeakerModelTrial(host.forkWorker),
    pages: createPageReader(http, config.environment),
  };
};
