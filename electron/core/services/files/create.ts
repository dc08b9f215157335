import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { DataPaths } from '../../base/paths.ts';
import { Scanner, type ScannerOptions } from '../../engines/scan/scanner.ts';
import type { WritableDb } from '../../stores/database.ts';
import { ObjectStore } from '../../stores/objects/store.ts';
import type { EventHub } from '../events.ts';
import type { SettingsService } from '../settings.ts';
import { CorsService } from './cors.ts';
import { IntakeService } from './intake.ts';
import { PresignService } from './presign.ts';
import { Quota } from './quota.ts';
import { type AudioGone, FileService } from './service.ts';
import { TokenSigner } from './tokens.ts';

export type CreateFilesOptions = {
  readonly db: WritableDb;
  readonly paths: DataPaths;
  readonly settings: SettingsService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventHub;
  /** This installation's secret; signs addresses. */
  readonly secret: string;
  /** Without a trailing slash. */
  readonly baseUrl: () => string;
  /** From `findScanner`. */
  readonly scanner: ScannerOptions;
  readonly onAudioGone: (gone: AudioGone) => void;
};

export type Files = {
  readonly service: FileService;
  readonly presign: PresignService;
  readonly cors: CorsService;
  readonly store: ObjectStore;
  readonly scanner: Scanner;
  readonly signer: TokenSigner;
  readonly db: WritableDb;
  readonly baseUrl: () => string;
  /** Removes what crashes and absent disks left behind; for now and then. */
  sweep(): Promise<number>;
  /** Resolves when nothing is being mended any more. */
  close(): Promise<void>;
};

/** The storage as a whole: opens the object folders, sweeps, and wires the services. */
export const createFiles = async (options: CreateFilesOptions): Promise<Files> => {
  const { db, settings, clock, logger, baseUrl } = options;
  const store = new ObjectStore({
    db,
    root: options.paths.objects,
    mirrors: settings.get('storage.mirrors'),
    clock,
    logger,
  });
  await store.open();
  const scanner = new Scanner(options.scanner);
  const signer = new TokenSigner(options.secret, clock);
  const quota = new Quota(db, settings);
  const intake = new IntakeService({ store, scanner, quota, settings, clock });
  const { events, onAudioGone } = options;
  const service = new FileService({ db, store, intake, quota, signer, events, clock, baseUrl, onAudioGone });
  return {
    service,
    presign: new PresignService({ db, files: service, signer, clock, baseUrl }),
    cors: new CorsService(db, clock),
    store,
    scanner,
    signer,
    db,
    baseUrl,
    sweep: () => store.sweep(),
    close: () => store.idle(),
  };
};
