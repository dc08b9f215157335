import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { FULL_SPEED, type Pace } from '../../base/event-loop.ts';
import type { Logger } from '../../base/logger.ts';
import type { WritableDb } from '../database.ts';
import * as files from '../files.ts';
import { blockCount } from './blocks.ts';
import { DamagedObjectError, type KnownObject, OpenCopies, sha256Of } from './copies.ts';
import type { ObjectFolder } from './folder.ts';

/** `mended`: was damaged and is repaired; `lost`: damaged beyond repair; `away`: its disk is not there. */
export type CopyState = 'good' | 'mended' | 'lost' | 'away';
export type CopyReport = { readonly folder: string; readonly state: CopyState };

type Deps = {
  readonly db: WritableDb;
  readonly folders: readonly ObjectFolder[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Removes an object whose file was deleted while it was repaired. */
  readonly remove: (object: string) => Promise<void>;
};

/** Compares the copies of objects with their checksums, and rebuilds those that are missing or damaged. */
export class CopyRepairs {
  readonly #deps: Deps;
  readonly #running = new Map<string, Promise<CopyReport[]>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  isRepairing(object: string): boolean {
    return this.#running.has(object);
  }

  /** Resolves when no repair is running. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** Reads every copy, and repairs if one differs. Empty for a file that was deleted meanwhile. */
  async verify(known: KnownObject, fileId: string, pace: Pace = FULL_SPEED): Promise<CopyReport[]> {
    const { db, folders } = this.#deps;
    let isIntact = true;
    for (const folder of folders) {
      isIntact = isIntact && (await sha256Of(folder, known.object, pace)) === known.sha256;
    }
    if (isIntact) return folders.map(({ label }) => ({ folder: label, state: 'good' }));
    return files.hasFile(db, known.object) ? this.repair(known, fileId) : [];
  }

  /** Calls for an object under repair share the running one. */
  repair(known: KnownObject, fileId: string): Promise<CopyReport[]> {
    const running = this.#running.get(known.object);
    if (running !== undefined) return running;
    const work = this.#repairAll(known, fileId).finally(() => this.#running.delete(known.object));
    this.#running.set(known.object, work);
    return work;
  }

  async #repairAll(known: KnownObject, fileId: string): Promise<CopyReport[]> {
    const { folders, logger } = this.#deps;
    const reports: CopyReport[] = [];
    for (const folder of folders) {
      reports.push({ folder: folder.label, state: await this.#repairCopy(folder, known) });
    }
    for (const { folder, state } of reports) {
      if (state !== 'good') logger.warn({ file: fileId, folder, state }, 'A copy was damaged');
    }
    return reports;
  }

  async #repairCopy(folder: ObjectFolder, known: KnownObject): Promise<CopyState> {
    const { db, clock, remove } = this.#deps;
    if (!(await folder.isPresent())) return 'away';
    if ((await sha256Of(folder, known.object)) === known.sha256) return 'good';
    files.insertWriteIntent(db, known.object, clock.now());
    await folder.removeIncoming(known.object);
    try {
      await this.#rebuild(folder, known);
      return 'mended';
    } catch (error) {
      if (error instanceof DamagedObjectError) return 'lost';
      throw error;
    } finally {
      await folder.removeIncoming(known.object);
      // A file that was deleted during the repair must not come back.
      if (files.hasFile(db, known.object)) files.deleteWriteIntent(db, known.object);
      else await remove(known.object);
    }
  }

  async #rebuild(folder: ObjectFolder, known: KnownObject): Promise<void> {
    const copies = new OpenCopies(this.#deps.folders, known);
    const hash = createHash('sha256');
    try {
      const handle = await folder.create(known.object);
      try {
        for (let index = 0; index < blockCount(known.size); index++) {
          const block = await copies.block(index);
          hash.update(block);
          await handle.writeFile(block);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (hash.digest('hex') !== known.sha256) throw new DamagedObjectError();
      await folder.promote(known.object);
    } finally {
      await copies.close();
    }
  }
}
