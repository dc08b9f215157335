import { AppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { storageUsage } from '../../stores/files.ts';
import { findUser } from '../../stores/users.ts';
import type { SettingsService } from '../settings.ts';

/** The part of a quota that one upload in flight takes. */
export type Reservation = {
  /** Reserves more bytes; throws `storage_limit_exceeded` if they would exceed the quota. */
  grow(bytes: number): void;
  /** Reserves what is stored already, or gives back with a negative number. */
  add(bytes: number): void;
  /** Gives everything back. Calling it again has no effect. */
  release(): void;
};

/** Each user's storage quota; stored files and uploads in flight count. */
export class Quota {
  readonly #db: ReadableDb;
  readonly #settings: SettingsService;
  readonly #inFlight = new Map<string, number>();

  constructor(db: ReadableDb, settings: SettingsService) {
    this.#db = db;
    this.#settings = settings;
  }

  limitOf(userId: string): number {
    return findUser(this.#db, userId)?.storageLimit ?? this.#settings.get('storage.limitBytes');
  }

  /** Throws `storage_limit_exceeded` if storing `bytes` more would exceed the user's quota. */
  check(userId: string, bytes: number): void {
    const limit = this.limitOf(userId);
    if (storageUsage(this.#db, userId).bytes + (this.#inFlight.get(userId) ?? 0) + bytes <= limit) return;
    throw new AppError(
      'storage_limit_exceeded',
      `The file does not fit: the account is limited to ${formatBytes(limit)}.`,
    );
  }

  reserve(userId: string): Reservation {
    let reserved = 0;
    const add = (bytes: number) => {
      const next = (this.#inFlight.get(userId) ?? 0) + bytes;
      if (next === 0) this.#inFlight.delete(userId);
      else this.#inFlight.set(userId, next);
      reserved += bytes;
    };
    return {
      grow: (bytes) => {
        this.check(userId, bytes);
        add(bytes);
      },
      add,
      release: () => add(-reserved),
    };
  }
}
