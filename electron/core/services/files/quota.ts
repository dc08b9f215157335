import { AppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { storageUsage } from '../../stores/files.ts';
import { findUser } from '../../stores/users.ts';
import type { SettingsService } from '../settings.ts';

/** Room taken by one upload under way. */
export type Reservation = {
  /** Takes more room; throws `storage_limit_exceeded` when there is none. */
  grow(bytes: number): void;
  release(): void;
};

/** Each account's limit, counting what is stored and what is on its way. */
export class Quota {
  readonly #db: ReadableDb;
  readonly #settings: SettingsService;
  readonly #underWay = new Map<string, number>();

  constructor(db: ReadableDb, settings: SettingsService) {
    this.#db = db;
    this.#settings = settings;
  }

  limitOf(userId: string): number {
    return findUser(this.#db, userId)?.storage_limit ?? this.#settings.get('storage.limitBytes');
  }

  /** Throws `storage_limit_exceeded` when `bytes` more do not fit into the account. */
  check(userId: string, bytes: number): void {
    const limit = this.limitOf(userId);
    if (storageUsage(this.#db, userId).bytes + (this.#underWay.get(userId) ?? 0) + bytes <= limit) return;
    throw new AppError(
      'storage_limit_exceeded',
      `The file does not fit: the account is limited to ${formatBytes(limit)}.`,
    );
  }

  reserve(userId: string): Reservation {
    let taken = 0;
    const add = (bytes: number) => {
      const next = (this.#underWay.get(userId) ?? 0) + bytes;
      if (next === 0) this.#underWay.delete(userId);
      else this.#underWay.set(userId, next);
      taken += bytes;
    };
    return {
      grow: (bytes) => {
        this.check(userId, bytes);
        add(bytes);
      },
      release: () => add(-taken),
    };
  }
}
