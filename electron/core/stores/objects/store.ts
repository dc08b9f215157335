import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError, isAppError, isDiskFull, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { WritableDb } from '../database.ts';
import * as rows from '../files.ts';
import type { FileRow } from '../schema.ts';
import { BLOCK_SIZE, blockCount } from './blocks.ts';
import { DamagedObjectError, type KnownObject, OpenCopies, sha256Of } from './copies.ts';
import { ObjectFolder } from './folder.ts';
import { receiveInto, type StagedObject } from './receive.ts';

export type CopyState = 'good' | 'mended' | 'lost' | 'away';
export type CopyReport = { readonly folder: string; readonly state: CopyState };

type Verified = {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
  readonly until: number;
};

/** How long a copy that was found right is not read again before it is handed out. */
const TRUST_MS = 5 * 60_000;

type ObjectStoreOptions = {
  readonly db: WritableDb;
  /** The main folder. */
  readonly root: string;
  /** Further folders that keep a copy of every object. */
  readonly mirrors: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * The bytes of all files, each under a random name in the main folder and in every mirror. An object
 * that is being written or removed is noted in the database first, so that a crash leaves either a
 * whole file with its row, or something that the sweeper finds.
 */
export class ObjectStore {
  readonly #db: WritableDb;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #primary: ObjectFolder;
  readonly #folders: readonly ObjectFolder[];
  /** Objects that this process is writing or removing right now. */
  readonly #active = new Set<string>();
  readonly #verified = new Map<string, Verified>();
  readonly #mending = new Map<string, Promise<CopyReport[]>>();

  constructor({ db, root, mirrors, clock, logger }: ObjectStoreOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#primary = new ObjectFolder(resolve(root), 'local');
    this.#folders = [
      this.#primary,
      ...mirrors.map((path, index) => new ObjectFolder(resolve(path), `mirror-${index + 1}`)),
    ];
  }

  /** `local`, then the mirrors. */
  get labels(): string[] {
    return this.#folders.map((folder) => folder.label);
  }

  /** Makes the folders ready, and removes what a crash left behind. A mirror whose disk is away stays away. */
  async open(): Promise<void> {
    for (const folder of this.#folders) await this.#prepare(folder);
    await this.sweep();
  }

  /** Takes a mirror's folder that lost its marker (a replaced disk) as this mirror from now on. */
  async adoptMirrors(): Promise<string[]> {
    const adopted: string[] = [];
    for (const folder of this.#folders) {
      if (await folder.isPresent()) continue;
      const id = randomBytes(16).toString('hex');
      await folder.prepare(id, true);
      rows.rememberMirror(this.#db, folder.root, id);
      adopted.push(folder.label);
    }
    return adopted;
  }

  /** Streams bytes into every folder, whole and flushed. Until `keep`, nothing knows of them. */
  async receive(
    source: AsyncIterable<Uint8Array>,
    watch: (chunk: Uint8Array) => void | Promise<void>,
  ): Promise<StagedObject> {
    const object = randomBytes(16).toString('hex');
    this.#active.add(object);
    try {
      await this.#refuseAway();
      rows.notePending(this.#db, object, this.#clock.now());
      return await receiveInto(this.#folders, object, source, watch);
    } catch (error) {
      await this.discard(object);
      throw this.#asUnavailable(error);
    }
  }

  /** Where the bytes of a staged object lie, for a scan. */
  stagedPath(object: string): string {
    return this.#primary.incomingPath(object);
  }

  /** Puts a staged object in its place in every folder. After it, `insertFile` makes it count. */
  async keep({ object }: StagedObject): Promise<void> {
    try {
      for (const folder of this.#folders) await folder.keep(object);
    } catch (error) {
      await this.discard(object);
      throw this.#asUnavailable(error);
    }
  }

  /** Says that a kept object has its row now. */
  settle(object: string): void {
    this.#active.delete(object);
  }

  /** Removes an object that has no row (any more) from every folder; what cannot be reached is left noted. */
  async discard(object: string): Promise<void> {
    this.#active.add(object);
    let all = true;
    for (const folder of this.#folders) all = (await this.#removeFrom(folder, object)) && all;
    if (all) rows.clearPending(this.#db, object);
    this.#active.delete(object);
  }

  /** Removes what was noted as unfinished and is not being worked on. */
  async sweep(): Promise<number> {
    let removed = 0;
    for (const object of rows.pendingObjects(this.#db)) {
      if (this.#active.has(object) || this.#mending.has(object)) continue;
      if (rows.isKnownObject(this.#db, object)) {
        for (const folder of this.#folders) if (await folder.isPresent()) await folder.removeIncoming(object);
        rows.clearPending(this.#db, object);
        continue;
      }
      await this.discard(object);
      removed++;
    }
    return removed;
  }

  /** A file's bytes, checked block by block as they are read; a bad copy is passed over and mended after. */
  source(file: FileRow): { size: number; read(start: number, end: number): AsyncGenerator<Uint8Array> } {
    const known = this.#known(file);
    const folders = this.#folders;
    const mendLater = () => this.#mendLater(file);
    // A file that was deleted while it is read is missing, not damaged.
    const explain = (error: unknown) =>
      error instanceof DamagedObjectError && !rows.isKnownObject(this.#db, file.object)
        ? new AppError('file_not_found', 'The file was deleted meanwhile.')
        : error;
    return {
      size: file.size,
      async *read(start, end) {
        const copies = new OpenCopies(folders, known);
        try {
          for (let at = start; at < end; ) {
            const index = Math.floor(at / BLOCK_SIZE);
            const block = await copies.block(index);
            const from = at - index * BLOCK_SIZE;
            const part = block.subarray(from, from + end - at);
            yield part;
            at += part.length;
          }
        } catch (error) {
          throw explain(error);
        } finally {
          await copies.close();
          if (copies.bad.size > 0) mendLater();
        }
      },
    };
  }

  /**
   * A path with a right copy, for programs that open files themselves. It was read whole and found right
   * just now, or minutes ago and its size and time have not changed since.
   */
  async verifiedPath(file: FileRow): Promise<string> {
    const recent = this.#verified.get(file.object);
    if (recent !== undefined && (await this.#isStill(recent))) return recent.path;
    const copies = new OpenCopies(this.#folders, this.#known(file));
    try {
      for (const folder of this.#folders) {
        if (!(await copies.isRight(folder))) continue;
        if (copies.bad.size > 0) this.#mendLater(file);
        const path = folder.pathOf(file.object);
        const { mtimeMs, size } = await stat(path);
        this.#verified.set(file.object, { path, mtimeMs, size, until: this.#clock.monotonic() + TRUST_MS });
        return path;
      }
    } finally {
      await copies.close();
    }
    throw new AppError('internal_error', 'The stored file is damaged, and no good copy is left.');
  }

  /** Reads every byte of every copy against the SHA-256, and mends what is not right. */
  async verify(file: FileRow): Promise<CopyReport[]> {
    let right = true;
    for (const folder of this.#folders) {
      right = right && (await sha256Of(folder, file.object)) === file.sha256;
    }
    return right ? this.#folders.map(({ label }) => ({ folder: label, state: 'good' })) : this.mend(file);
  }

  /** Puts a good copy in the place of each missing or altered one, even if only parts of each are good. */
  mend(file: FileRow): Promise<CopyReport[]> {
    const running = this.#mending.get(file.object);
    if (running !== undefined) return running;
    const work = this.#mendAll(file).finally(() => this.#mending.delete(file.object));
    this.#mending.set(file.object, work);
    return work;
  }

  /** Resolves when no copy is being mended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#mending.values());
  }

  /** Objects in the folders that no row knows, e.g. after the database was restored from an older copy. */
  async *unknownObjects(): AsyncGenerator<{ folder: string; object: string }> {
    for (const folder of this.#folders) {
      if (!(await folder.isPresent())) continue;
      for await (const object of folder.names()) {
        if (!rows.isKnownObject(this.#db, object) && !this.#active.has(object)) {
          yield { folder: folder.label, object };
        }
      }
    }
  }

  /** The least free space over all folders' disks, in bytes. */
  async free(): Promise<number> {
    return Math.min(...(await Promise.all(this.#folders.map((folder) => folder.free()))));
  }

  async #isStill({ path, mtimeMs, size, until }: Verified): Promise<boolean> {
    const now = this.#clock.monotonic();
    for (const [object, entry] of this.#verified) if (entry.until < now) this.#verified.delete(object);
    const info = now < until ? await stat(path).catch(() => undefined) : undefined;
    return info?.mtimeMs === mtimeMs && info.size === size;
  }

  async #prepare(folder: ObjectFolder): Promise<void> {
    const known = rows.mirrorId(this.#db, folder.root);
    if (known !== undefined) {
      await folder.prepare(known, false);
      // The main folder is made anew when it is gone; a mirror may be a disk that will come back.
      if (folder === this.#primary && !(await folder.isPresent())) await folder.prepare(known, true);
      return;
    }
    const found = await folder.markerId();
    const id = found ?? randomBytes(16).toString('hex');
    try {
      await folder.prepare(id, found === undefined);
      rows.rememberMirror(this.#db, folder.root, id);
    } catch (error) {
      if (folder === this.#primary) throw error;
      this.#logger.error({ folder: folder.label, reason: messageOf(error) }, 'A mirror cannot be used');
    }
  }

  async #refuseAway(): Promise<void> {
    for (const folder of this.#folders) {
      if (await folder.isPresent()) continue;
      throw new AppError(
        'storage_unavailable',
        `The folder “${folder.label}” of the storage cannot be reached, so nothing can be stored safely.`,
      );
    }
  }

  #asUnavailable(error: unknown): unknown {
    if (isAppError(error) || isDiskFull(error)) return error;
    this.#logger.error({ reason: messageOf(error) }, 'Writing to the storage failed');
    return new AppError(
      'storage_unavailable',
      'The file could not be written to every copy of the storage.',
      {
        cause: error,
      },
    );
  }

  async #removeFrom(folder: ObjectFolder, object: string): Promise<boolean> {
    try {
      if (!(await folder.isPresent())) return false;
      await folder.remove(object);
      return true;
    } catch (error) {
      this.#logger.warn(
        { folder: folder.label, reason: messageOf(error) },
        'An object could not be removed yet',
      );
      return false;
    }
  }

  #known(file: FileRow): KnownObject {
    const checksums = rows.objectChecksums(this.#db, file.object);
    if (checksums === undefined) throw new AppError('file_not_found', 'There is no such file.');
    return { object: file.object, size: file.size, sha256: file.sha256, checksums };
  }

  #mendLater(file: FileRow): void {
    if (!rows.isKnownObject(this.#db, file.object)) return;
    this.mend(file).catch((error: unknown) => {
      this.#logger.error({ file: file.id, reason: messageOf(error) }, 'A damaged copy could not be mended');
    });
  }

  async #mendAll(file: FileRow): Promise<CopyReport[]> {
    const known = this.#known(file);
    const reports: CopyReport[] = [];
    for (const folder of this.#folders) {
      reports.push({ folder: folder.label, state: await this.#mendCopy(folder, known) });
    }
    for (const { folder, state } of reports) {
      if (state !== 'good') this.#logger.warn({ file: file.id, folder, state }, 'A copy was not right');
    }
    return reports;
  }

  async #mendCopy(folder: ObjectFolder, known: KnownObject): Promise<CopyState> {
    if (!(await folder.isPresent())) return 'away';
    if ((await sha256Of(folder, known.object)) === known.sha256) return 'good';
    rows.notePending(this.#db, known.object, this.#clock.now());
    await folder.removeIncoming(known.object);
    try {
      await this.#rebuild(folder, known);
      return 'mended';
    } catch (error) {
      if (error instanceof DamagedObjectError) return 'lost';
      throw error;
    } finally {
      await folder.removeIncoming(known.object);
      // A file that was deleted meanwhile must not come back.
      if (rows.isKnownObject(this.#db, known.object)) rows.clearPending(this.#db, known.object);
      else await this.discard(known.object);
    }
  }

  async #rebuild(folder: ObjectFolder, known: KnownObject): Promise<void> {
    const copies = new OpenCopies(this.#folders, known);
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
      await folder.keep(known.object);
    } finally {
      await copies.close();
    }
  }
}
