import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { DataPaths } from '../../base/paths.ts';
import { Scanner } from '../../engines/scan/scanner.ts';
import type { WritableDb } from '../../stores/database.ts';
import { RecordingFolder } from '../../stores/objects/staging.ts';
import { ObjectStore } from '../../stores/objects/store.ts';
import type { EventHub } from '../events.ts';
import type { SettingsService } from '../settings.ts';
import { CorsService } from './cors.ts';
import { Quota } from './present.ts';
import { PresignService, TokenSigner } from './presign.ts';
import { RecordingService } from './recordings.ts';
import { FileService } from './service.ts';
import { type UploadDeps, UploadService } from './uploads.ts';
import { checkMirrors } from './verify.ts';

export type CreateFilesOptions = {
  readonly db: WritableDb;
  readonly paths: DataPaths;
  readonly settings: SettingsService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventHub;
  /** This installation's secret; signs URLs. */
  readonly secret: string;
  /** Without a trailing slash. */
  readonly baseUrl: () => string;
  /** Names ClamAV's configuration and program; see `Scanner`. */
  readonly environment: NodeJS.ProcessEnv;
  readonly soundFormat?: UploadDeps['soundFormat'];
  /** Called after a file was deleted, once for each transcript that was made from it. */
  readonly onSourceDeleted: (transcriptId: string) => void;
};

export type Files = {
  readonly service: FileService;
  readonly uploads: UploadService;
  readonly presign: PresignService;
  readonly recordings: RecordingService;
  readonly cors: CorsService;
  readonly store: ObjectStore;
  readonly scanner: Scanner;
  readonly signer: TokenSigner;
  readonly db: WritableDb;
  readonly baseUrl: () => string;
  /** Prepares the folders and sweeps. Await it before the first request. */
  open(): Promise<void>;
  /** Finishes what crashes and absent disks interrupted. Runs every ten minutes by itself. */
  sweep(): Promise<number>;
  /** Resolves when no repair of a copy is running. */
  close(): Promise<void>;
};

/** An absent disk may have come back. */
const SWEEP_EVERY_MS = 10 * 60_000;

/** Wires the storage. Call `open` before use. */
export const createFiles = (options: CreateFilesOptions): Files => {
  const { db, settings, clock, logger, baseUrl } = options;
  const mirrors = checkMirrors(settings.get('storage.mirrors'), options.paths.root);
  for (const { number, reason } of mirrors.refused) {
    logger.warn({ mirror: number, reason }, 'A folder of storage.mirrors keeps no copies');
  }
  const store = new ObjectStore({
    db,
    root: options.paths.objects,
    mirrors: mirrors.usable,
    clock,
    logger,
  });
  const scanner = new Scanner(options.environment, logger);
  const signer = new TokenSigner(options.secret, clock);
  const quota = new Quota(db, settings);
  const { events, onSourceDeleted } = options;
  const uploads = new UploadService({ ...options, store, scanner, quota });
  const service = new FileService({
    db,
    objects: store,
    quota,
    signer,
    events,
    clock,
    baseUrl,
    onSourceDeleted,
  });
  const folder = new RecordingFolder(options.paths.recordings);
  const recordings = new RecordingService({ db, folder, uploads, quota, clock, logger });
  let timer: NodeJS.Timeout | undefined;
  const sweepQuietly = async () => {
    try {
      await store.sweep();
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'The object folders could not be swept');
    }
  };
  return {
    service,
    uploads,
    presign: new PresignService({ db, uploads, signer, clock, baseUrl }),
    recordings,
    cors: new CorsService(db, clock),
    store,
    scanner,
    signer,
    db,
    baseUrl,
    open: async () => {
      await store.open();
      await recordings.open();
      timer = setInterval(() => void sweepQuietly(), SWEEP_EVERY_MS);
      timer.unref();
    },
    sweep: () => store.sweep(),
    close: async () => {
      clearInterval(timer);
      await recordings.close();
      await store.idle();
    },
  };
};
