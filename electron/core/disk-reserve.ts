import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const BYTES = 16 * 1024 ** 2;
const CHUNK = 256 * 1024;
/** With less room than this, a start gives the reserve up. */
const START_BYTES = 4 * 1024 ** 2;
/** Free bytes beyond the reserve that its renewal leaves. */
const SPARE_BYTES = 3 * BYTES;
const RENEW_EVERY_MS = 10_000;

/**
 * A file that keeps room on the disk: it is given up when the disk is too full to start, or to delete something, and made
 * again once there is room.
 */
export class DiskReserve {
  readonly #path: string;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Frees the room. False if there is no reserve. */
  readonly giveUp = (): boolean => {
    if (!existsSync(this.#path)) return false;
    rmSync(this.#path, { force: true });
    return true;
  };

  giveUpIfFull(): void {
    if (this.#freeBytes() < START_BYTES) this.giveUp();
  }

  /** Makes the reserve when there is room, now and later. `onError` learns why it could not be written. */
  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      this.#renewal = this.#renew().catch(onError);
    }, RENEW_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }

  async #renew(): Promise<void> {
    if (existsSync(this.#path) || this.#freeBytes() < BYTES + SPARE_BYTES) return;
    const unfinished = `${this.#path}.new`;
    const file = await open(unfinished, 'w', 0o600);
    const chunk = Buffer.allocUnsafe(CHUNK);
    try {
      // Random, since some file systems store zeros in no room at all.
      for (let at = 0; at < BYTES; at += CHUNK) await file.write(randomFillSync(chunk));
      await file.sync();
      await rename(unfinished, this.#path);
    } finally {
      await file.close();
      await rm(unfinished, { force: true });
    }
  }
}
