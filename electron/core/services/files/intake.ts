import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { type ChosenType, checkContent } from '../../engines/scan/content.ts';
import { EicarWatch } from '../../engines/scan/eicar.ts';
import type { ScanEngine, Scanner } from '../../engines/scan/scanner.ts';
import { TextWatch } from '../../engines/scan/text.ts';
import type { StagedObject } from '../../stores/objects/receive.ts';
import type { ObjectStore } from '../../stores/objects/store.ts';
import type { SettingsService } from '../settings.ts';
import type { Quota, Reservation } from './quota.ts';

/** Largest stored file. */
export const MAX_FILE_BYTES = 1024 ** 3;

/** The disk keeps at least this free, so that the database can go on writing. */
const DISK_MARGIN = 64 * 1024 ** 2;
const ASK_DISK_EVERY = 32 * 1024 ** 2;

/** Bytes that are on disk, whole and flushed, but not yet a file. Ends with `accept` or `drop`. */
export type Intake = {
  readonly staged: StagedObject;
  readonly userId: string;
  readonly reservation: Reservation;
  readonly canBeText: boolean;
  readonly eicar: boolean;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
};

export type ReceiveOptions = {
  readonly userId: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  /** What the sender said the length is, where it did. */
  readonly expectedBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

type IntakeOptions = {
  readonly store: ObjectStore;
  readonly scanner: Scanner;
  readonly quota: Quota;
  readonly settings: SettingsService;
  readonly clock: Clock;
};

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('file_too_large', `The file is larger than ${formatBytes(maxBytes)} (${maxBytes} bytes).`);

/** Takes bytes in under every limit, and checks them before they become a file. */
export class IntakeService {
  readonly #o: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#o = options;
  }

  /** Streams to disk while hashing. Rejects as soon as a limit is passed, leaving nothing behind. */
  async receive({ userId, source, maxBytes, expectedBytes, signal }: ReceiveOptions): Promise<Intake> {
    const { store, quota, clock } = this.#o;
    const startedAt = clock.monotonic();
    if (expectedBytes !== undefined) {
      if (expectedBytes > maxBytes) throw tooLarge(maxBytes);
      quota.check(userId, expectedBytes);
    }
    const reservation = quota.reserve(userId);
    const [eicar, text] = [new EicarWatch(), new TextWatch()];
    let size = 0;
    let nextAsk = 0;
    try {
      const staged = await store.receive(source, async (chunk) => {
        signal?.throwIfAborted();
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        reservation.grow(chunk.length);
        if (size >= nextAsk) {
          nextAsk = size + ASK_DISK_EVERY;
          await this.#refuseFullDisk();
        }
        eicar.update(chunk);
        text.update(chunk);
      });
      return { staged, userId, reservation, canBeText: text.possible, eicar: eicar.found, startedAt };
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Scans and checks what was received, and puts it in its place. Rejects with nothing left behind. */
  async check(intake: Intake, chosen: ChosenType): Promise<ScanEngine> {
    const { store, scanner, settings } = this.#o;
    const { staged } = intake;
    try {
      if (intake.eicar) {
        throw new AppError('infected_file', 'The file was refused: it contains the EICAR test signature.');
      }
      const path = store.stagedPath(staged.object);
      await checkContent({ path, size: staged.size, chosen, canBeText: intake.canBeText });
      const engine = await scanner.scan(path, staged.size, settings.get('storage.requireClamav'));
      await store.keep(staged);
      return engine;
    } catch (error) {
      await this.drop(intake);
      throw error;
    }
  }

  /** Removes what was received. */
  async drop({ staged, reservation }: Intake): Promise<void> {
    reservation.release();
    await this.#o.store.discard(staged.object);
  }

  async #refuseFullDisk(): Promise<void> {
    if ((await this.#o.store.free()) >= DISK_MARGIN) return;
    throw new AppError('disk_full', 'The disk is full. Free some space and try again.');
  }
}
