import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ByteSource } from '../../base/byte-source.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, hasDiskFullCode, isAppError, messageOf } from '../../base/errors.ts';
import type { Pace } from '../../base/event-loop.ts';
import type { Logger } from '../../base/logger.ts';
import type { WritableDb } from '../database.ts';
import * as files from '../files.ts';
import { BLOCK_SIZE } from './blocks.ts';
import { CopyRepairs, type CopyReport, DamagedObjectError, type KnownObject, OpenCopies } from './copies.ts';
import { ObjectFolder } from './folder.ts';
import { type StagedObject, writeStaged } from './staging.ts';

/** What the store needs to know of a file. */
type StoredObject = Pick<files.FileRecord, 'id' | 'object' | 'size' | 'sha256'>;

/** A copy whose every byte was found right. */
type VerifiedCopy = {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** Monotonic milliseconds. */
  readonly until: number;
};

/** Read from the disk at once. Blocks one by one took an eighth more processor time; four at once took no less than two. */
const READ_BYTES = 2 * BLOCK_SIZE;

/** How long a verified copy is handed out without reading it again. */
const TRUST_MS = 5 * 60_000;

const noIntactCopy = (): AppError =>
  new AppError(
    'storage_unavailable',
    'The stored file is missing or damaged, and no intact copy is left. Restore it from a backup of your own, or delete it.',
  );

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
 * Stores the bytes of all files, each under a random name in the main folder and in every mirror. A write intent in the
 * database precedes every write and removal, so after a crash there is either a whole object with its file's row, or an
 * intent by which `sweep` removes the rest.
 */
export class ObjectStore {
  readonly #db: WritableDb;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #primary: ObjectFolder;
  readonly #folders: readonly ObjectFolder[];
  /** Objects that are being staged or removed: the sweeper leaves them alone. */
  readonly #active = new Set<string>();
  readonly #verified = new Map<string, VerifiedCopy>();
  readonly #repairs: CopyRepairs;

  constructor({ db, root, mirrors, clock, logger }: ObjectStoreOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#primary = new ObjectFolder(resolve(root), 'local');
    this.#folders = [
      this.#primary,
      ...mirrors.map((path, index) => new ObjectFolder(resolve(path), `mirror-${index + 1}`)),
    ];
    this.#repairs = new CopyRepairs({
      db,
      folders: this.#folders,
      clock,
      logger,
      remove: (object) => this.remove(object),
    });
  }

  /** `local`, then the mirrors. */
  get labels(): string[] {
    return this.#folders.map((folder) => folder.label);
  }

  /** Prepares the folders and sweeps. A mirror whose disk is away is left for later. */
  async open(): Promise<void> {
    for (const folder of this.#folders) await this.#prepare(folder);
    await this.sweep();
  }

  /** Writes new markers into mirrors without one, such as replaced disks. Returns their labels. */
  async adoptMirrors(): Promise<string[]> {
    const adopted: string[] = [];
    for (const folder of this.#folders) {
      if (await folder.isPresent()) continue;
      const id = randomBytes(16).toString('hex');
      await folder.prepare(id, true);
      files.saveMirrorId(this.#db, folder.root, id);
      adopted.push(folder.label);
    }
    return adopted;
  }

  /**
   * Writes a stream to every folder and flushes it; `onChunk` throws to refuse the rest. Rejects with nothing left
   * behind, with `storage_unavailable` if a folder cannot be reached or written.
   */
  async stage(
    source: AsyncIterable<Uint8Array>,
    onChunk: (chunk: Uint8Array) => void | Promise<void>,
  ): Promise<StagedObject> {
    const object = randomBytes(16).toString('hex');
    this.#active.add(object);
    try {
      await this.#requireFolders();
      files.insertWriteIntent(this.#db, object, this.#clock.now());
      const written = await writeStaged(this.#folders, object, source, onChunk);
      return {
        object,
        ...written,
        path: this.#primary.incomingPath(object),
        commit: (record) => this.#commit(object, record),
        abort: () => this.#abort(object),
      };
    } catch (error) {
      await this.remove(object);
      throw this.#toUnavailable(error);
    }
  }

  async #commit<T>(object: string, record: () => T): Promise<T> {
    try {
      for (const folder of this.#folders) await folder.promote(object);
    } catch (error) {
      throw this.#toUnavailable(error);
    }
    const recorded = record();
    this.#active.delete(object);
    return recorded;
  }

  async #abort(object: string): Promise<void> {
    if (!files.hasFile(this.#db, object)) await this.remove(object);
  }

  /** Removes an object without a file from every folder. If a folder cannot be reached, the intent remains. */
  async remove(object: string): Promise<void> {
    this.#active.add(object);
    let isRemoved = true;
    for (const folder of this.#folders) isRemoved = (await this.#removeFrom(folder, object)) && isRemoved;
    this.#active.delete(object);
    if (isRemoved) this.#forgetIntent(object);
  }

  /** As `remove`, but the copy of the main folder is gone when the call returns. */
  discard(object: string): Promise<void> {
    this.#primary.unlinkNow(object);
    return this.remove(object);
  }

  #forgetIntent(object: string): void {
    try {
      files.deleteWriteIntent(this.#db, object);
    } catch (error) {
      // The bytes are gone; the next sweep ends the intent.
      if (!hasDiskFullCode(error)) throw error;
    }
  }

  /** Finishes writes and removals that a crash or an absent disk interrupted. Returns the number of removed objects. */
  async sweep(): Promise<number> {
    let removed = 0;
    for (const object of files.writeIntents(this.#db)) {
      if (this.#active.has(object) || this.#repairs.isRepairing(object)) continue;
      if (files.hasFile(this.#db, object)) {
        for (const folder of this.#folders) if (await folder.isPresent()) await folder.removeIncoming(object);
        files.deleteWriteIntent(this.#db, object);
        continue;
      }
      await this.remove(object);
      removed++;
    }
    return removed;
  }

  /** A file's bytes, checked block by block as they are read. A damaged copy is skipped, and repaired afterwards. */
  source(file: StoredObject): ByteSource {
    const known = this.#known(file);
    const folders = this.#folders;
    const repairLater = () => this.#repairLater(file);
    // A file that is deleted while it is read is missing, not damaged.
    const explain = (error: unknown) => {
      if (!(error instanceof DamagedObjectError)) return error;
      return files.hasFile(this.#db, file.object)
        ? noIntactCopy()
        : new AppError('file_not_found', 'The file was deleted meanwhile.');
    };
    return {
      size: file.size,
      async *read(start, end, memory) {
        const copies = new OpenCopies(folders, known);
        try {
          for (let at = start; at < end; ) {
            const index = Math.floor(at / BLOCK_SIZE);
            const first = index * BLOCK_SIZE;
            const wanted = Math.min(file.size, Math.ceil(end / BLOCK_SIZE) * BLOCK_SIZE) - first;
            // The first alone, so that the answer begins sooner, and begins if only the next one is damaged.
            const length = Math.min(at === start ? BLOCK_SIZE : READ_BYTES, wanted);
            const blocks = memory(length).subarray(0, length);
            await copies.blocks(index, blocks);
            const part = blocks.subarray(at - first, end - first);
            yield part;
            at += part.length;
          }
        } catch (error) {
          throw explain(error);
        } finally {
          await copies.close();
          if (copies.bad.size > 0) repairLater();
        }
      },
    };
  }

  /**
   * The path of an intact copy, for programs that open files themselves. Every byte was checked now, or at most
   * `TRUST_MS` ago with size and modification time unchanged since.
   */
  async verifiedPath(file: StoredObject): Promise<string> {
    const recent = this.#verified.get(file.object);
    if (recent !== undefined && (await this.#isUnchanged(recent))) return recent.path;
    const copies = new OpenCopies(this.#folders, this.#known(file));
    try {
      for (const folder of this.#folders) {
        if (!(await copies.isIntact(folder))) continue;
        if (copies.bad.size > 0) this.#repairLater(file);
        const path = folder.pathOf(file.object);
        const { mtimeMs, size } = await stat(path);
        this.#verified.set(file.object, { path, mtimeMs, size, until: this.#clock.monotonic() + TRUST_MS });
        return path;
      }
    } finally {
      await copies.close();
    }
    throw noIntactCopy();
  }

  /** Compares every copy with the SHA-256, and repairs damaged ones. */
  async verify(file: StoredObject, pace?: Pace): Promise<CopyReport[]> {
    // Deleted since it was listed.
    if (!files.hasFile(this.#db, file.object)) return [];
    return this.#repairs.verify(this.#known(file), file.id, pace);
  }

  /** Replaces missing and damaged copies. One intact copy of each block is enough, in whichever folder. */
  async repair(file: StoredObject): Promise<CopyReport[]> {
    return this.#repairs.repair(this.#known(file), file.id);
  }

  /** Resolves when no repair is running. */
  idle(): Promise<void> {
    return this.#repairs.idle();
  }

  /** Objects without a file, e.g. after the database was restored from an older backup. */
  async *orphanedObjects(): AsyncGenerator<{ folder: string; object: string }> {
    for (const folder of this.#folders) {
      if (!(await folder.isPresent())) continue;
      for await (const object of folder.names()) {
        if (files.hasFile(this.#db, object) || this.#active.has(object)) continue;
        // One that was deleted since the folder was read is no orphan.
        if ((await folder.sizeOf(object)) !== undefined) yield { folder: folder.label, object };
      }
    }
  }

  /** Where one copy of an object without a file lies; undefined if it is gone. */
  async pathOfOrphan(object: string): Promise<string | undefined> {
    for (const folder of this.#folders) {
      if ((await folder.sizeOf(object)) !== undefined) return folder.pathOf(object);
    }
    return undefined;
  }

  /** Free bytes on the fullest of the folders' disks. */
  async freeBytes(): Promise<number> {
    return Math.min(...(await Promise.all(this.#folders.map((folder) => folder.freeBytes()))));
  }

  async #isUnchanged({ path, mtimeMs, size, until }: VerifiedCopy): Promise<boolean> {
    const now = this.#clock.monotonic();
    for (const [object, entry] of this.#verified) if (entry.until < now) this.#verified.delete(object);
    const info = now < until ? await stat(path).catch(() => undefined) : undefined;
    return info?.mtimeMs === mtimeMs && info.size === size;
  }

  async #prepare(folder: ObjectFolder): Promise<void> {
    const known = files.mirrorId(this.#db, folder.root);
    if (known !== undefined) {
      await folder.prepare(known, false);
      // A missing main folder is created again; a mirror may be a disk that comes back.
      if (folder === this.#primary && !(await folder.isPresent())) await folder.prepare(known, true);
      return;
    }
    const found = await folder.markerId();
    const id = found ?? randomBytes(16).toString('hex');
    try {
      await folder.prepare(id, found === undefined);
      files.saveMirrorId(this.#db, folder.root, id);
    } catch (error) {
      if (folder === this.#primary) throw error;
      this.#logger.error({ folder: folder.label, reason: messageOf(error) }, 'A mirror cannot be used');
    }
  }

  async #requireFolders(): Promise<void> {
    for (const folder of this.#folders) {
      if (await folder.isPresent()) continue;
      throw new AppError(
        'storage_unavailable',
        `The folder “${folder.label}” of the storage cannot be reached, so nothing can be stored safely.`,
      );
    }
  }

  #toUnavailable(error: unknown): unknown {
    if (isAppError(error) || hasDiskFullCode(error)) return error;
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

  #known(file: StoredObject): KnownObject {
    const checksums = files.objectChecksums(this.#db, file.object);
    if (checksums === undefined) throw new AppError('file_not_found', 'There is no such file.');
    return { object: file.object, size: file.size, sha256: file.sha256, checksums };
  }

  #repairLater(file: StoredObject): void {
    if (!files.hasFile(this.#db, file.object)) return;
    this.repair(file).catch((error: unknown) => {
      this.#logger.error({ file: file.id, reason: messageOf(error) }, 'A damaged copy could not be repaired');
    });
  }
}
