import type { Dirent } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DISK_PARTS, type DiskUsage } from '../../contract/system.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf, systemCode } from '../base/errors.ts';
import type { DataPaths } from '../base/paths.ts';
import type { FfmpegTools, MediaEngine } from '../engines/ffmpeg/types.ts';
import type { TextTagger } from '../engines/tagger/tagger.ts';
import type { Parallelism, WhisperEngine } from '../engines/whisper/engine.ts';
import type { SystemInfo } from '../engines/whisper/types.ts';
import type { DeviceService } from './devices.ts';
import type { SettingsService } from './settings.ts';

type Part = (typeof DISK_PARTS)[number];

/** The service removes files while they are counted. */
const unlessGone = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await asked;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return otherwise;
    throw error;
  }
};

const sizeOf = async (path: string, entry: Pick<Dirent, 'isDirectory'>): Promise<number> => {
  if (!entry.isDirectory())
    return unlessGone<number>(
      lstat(path).then(({ size }) => size),
      0,
    );
  const entries = await unlessGone(readdir(path, { withFileTypes: true }), []);
  let bytes = 0;
  // One after the other, so that a folder of 100,000 files holds up no one.
  for (const each of entries) bytes += await sizeOf(join(path, each.name), each);
  return bytes;
};

/** Measures the parts of the data folder, largest first; links are not followed. */
const measureDisk = async (paths: DataPaths): Promise<DiskUsage['data']> => {
  const folders: Readonly<Record<string, Part>> = {
    [basename(paths.objects)]: 'files',
    [basename(paths.transcripts)]: 'transcripts',
    [basename(paths.models)]: 'models',
    [basename(paths.backups)]: 'backups',
    [basename(paths.logs)]: 'logs',
    [basename(paths.temporary)]: 'temporary',
    [basename(paths.reserve)]: 'reserve',
  };
  // The database with its log beside it.
  const partOf = (name: string): Part =>
    name.startsWith(basename(paths.database)) ? 'database' : (folders[name] ?? 'other');
  const sizes = new Map<Part, number>(DISK_PARTS.map((part) => [part, 0]));
  for (const entry of await readdir(paths.root, { withFileTypes: true })) {
    const part = partOf(entry.name);
    sizes.set(part, (sizes.get(part) ?? 0) + (await sizeOf(join(paths.root, entry.name), entry)));
  }
  const parts = [...sizes].map(([part, bytes]) => ({ part, bytes })).sort((a, b) => b.bytes - a.bytes);
  const disk = await statfs(paths.root);
  return {
    data_dir: paths.root,
    total: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    free: disk.bavail * disk.bsize,
    parts,
  };
};

type Deps = {
  readonly version: string;
  readonly openCommand: string;
  readonly paths: DataPaths;
  readonly clock: Clock;
  readonly settings: SettingsService;
  readonly media: MediaEngine;
  readonly tools: FfmpegTools;
  readonly engine: WhisperEngine;
  readonly devices: DeviceService;
  readonly parallelism: Parallelism;
  readonly tagger: Pick<TextTagger, 'check'>;
  readonly scanner: () => Promise<'clamav' | 'builtin'>;
};

type Probe = { available: true; info: SystemInfo } | { available: false; detail: string };

const gpuOf = ({ devices }: SystemInfo): string | null =>
  devices.find(({ kind }) => kind === 'gpu')?.description ?? null;

/** Describes the installation: versions, engine, hardware, limits. */
export class SystemService {
  readonly #deps: Deps;
  readonly #startedAt: number;
  #probe: Promise<Probe> | undefined;
  #modelFault: string | null | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.monotonic();
  }

  /** Seconds since the start, with one decimal. */
  uptime(): number {
    return Math.round((this.#deps.clock.monotonic() - this.#startedAt) / 100) / 10;
  }

  /** Tries, once, whether the speech engine loads on this machine, in its own process. */
  probe(): Promise<Probe> {
    this.#probe ??= this.#deps.engine.probe().then(
      (info): Probe => ({ available: true, info }),
      (error: unknown): Probe => ({ available: false, detail: messageOf(error) }),
    );
    return this.#probe;
  }

  /** Reads the whole model, once. */
  #privateDataModel(): { available: boolean; detail: string | null } {
    if (this.#modelFault === undefined) {
      try {
        this.#deps.tagger.check();
        this.#modelFault = null;
      } catch (error) {
        this.#modelFault = messageOf(error);
      }
    }
    return { available: this.#modelFault === null, detail: this.#modelFault };
  }

  diskUsage() {
    return measureDisk(this.#deps.paths);
  }

  async describe() {
    const { version, openCommand, paths, settings, media, tools, devices, parallelism, scanner } = this.#deps;
    const probe = await this.probe();
    const disk = await statfs(paths.root);
    return {
      version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      data_dir: paths.root,
      open_command: openCommand,
      // A missing ffmpeg is an answer, not a failure: `doctor` explains how to install it.
      ffmpeg: { path: tools.ffmpeg, version: await media.version().catch(() => null) },
      engine: {
        name: 'whisper.cpp' as const,
        version: probe.available ? probe.info.version : '',
        available: probe.available,
        detail: probe.available ? null : probe.detail,
        system_info: probe.available ? probe.info.features : null,
        threads: parallelism.threads,
        parallel: parallelism.concurrency,
      },
      private_data_model: this.#privateDataModel(),
      acceleration: await devices.describe(probe.available ? gpuOf(probe.info) : null),
      scanner: await scanner(),
      disk_free: disk.bavail * disk.bsize,
      limits: {
        uploads_per_15_minutes: settings.get('limits.uploadsPer15Minutes'),
        deletions_per_15_minutes: settings.get('limits.deletionsPer15Minutes'),
        requests_per_minute: settings.get('limits.requestsPerMinute'),
        max_download_bytes: settings.get('network.maxDownloadBytes'),
      },
    };
  }
}
