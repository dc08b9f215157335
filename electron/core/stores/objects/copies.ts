import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { systemCode } from '../../base/errors.ts';
import { FULL_SPEED, type Pace } from '../../base/event-loop.ts';
import type { Logger } from '../../base/logger.ts';
import type { WritableDb } from '../database.ts';
import * as files from '../files.ts';
import { BLOCK_SIZE, blockCount, isBlockIntact } from './blocks.ts';
import type { ObjectFolder } from './folder.ts';

/** `mended`: was damaged and is repaired; `lost`: damaged beyond repair; `away`: its disk is not there. */
type CopyState = 'good' | 'mended' | 'lost' | 'away';
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

/** An object with what is needed to check it. */
export type KnownObject = {
  readonly object: string;
  readonly size: number;
  readonly sha256: string;
  /** CRC-32 of each block. */
  readonly checksums: Uint8Array;
};

/** No folder has an intact copy of one of an object's blocks. */
export class DamagedObjectError extends Error {
  constructor() {
    super('No good copy of the stored file is left.');
    this.name = 'DamagedObjectError';
  }
}

const MISSING = ['ENOENT', 'ENOTDIR', 'EISDIR'];
/** Errors on which another copy is tried; they include those of a failing disk. */
const UNREADABLE = [...MISSING, 'EIO', 'EACCES', 'EPERM', 'ENODEV', 'ENXIO', 'ESTALE'];

/** Reads into `buffer`, from its start; fewer bytes than asked for are the file's last. */
const readFully = async (
  handle: FileHandle,
  position: number,
  length: number,
  buffer: Uint8Array = Buffer.allocUnsafe(length),
): Promise<Uint8Array> => {
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};

/** Opens the copies of one object on demand, and reads each block from the first folder whose copy of it is intact. */
export class OpenCopies {
  readonly #folders: readonly ObjectFolder[];
  readonly #known: KnownObject;
  readonly #handles = new Map<ObjectFolder, FileHandle | undefined>();
  /** Folders whose copy is missing or damaged, as far as it was read. */
  readonly bad = new Set<ObjectFolder>();

  constructor(folders: readonly ObjectFolder[], known: KnownObject) {
    this.#folders = folders;
    this.#known = known;
  }

  /**
   * Reads blocks from one on into `buffer`, which ends with a block or with the object: in one read from the first folder if
   * its copy of them is intact, else one by one. Throws DamagedObjectError when one of them is intact in no folder.
   */
  async blocks(index: number, buffer: Uint8Array): Promise<void> {
    const [first] = this.#folders;
    if (first !== undefined && !this.bad.has(first) && (await this.#readIntact(first, index, buffer))) return;
    for (let at = 0; at < buffer.length; at += BLOCK_SIZE) {
      await this.block(index + at / BLOCK_SIZE, buffer.subarray(at, at + BLOCK_SIZE));
    }
  }

  /** Reads one block, into `buffer` if given. Throws DamagedObjectError when it is intact in no folder. */
  async block(index: number, buffer?: Uint8Array): Promise<Uint8Array> {
    for (const folder of this.#folders) {
      const block = await this.blockOf(folder, index, buffer);
      if (block !== undefined) return block;
    }
    throw new DamagedObjectError();
  }

  /** Reads one block of one copy; undefined when it is missing or damaged. */
  async blockOf(folder: ObjectFolder, index: number, buffer?: Uint8Array): Promise<Uint8Array | undefined> {
    const length = Math.min(BLOCK_SIZE, this.#known.size - index * BLOCK_SIZE);
    const block = (buffer ?? Buffer.allocUnsafe(length)).subarray(0, length);
    if (await this.#readIntact(folder, index, block)) return block;
    this.bad.add(folder);
    return undefined;
  }

  /** Reads a folder's copy of the blocks that fill a buffer. Whether it is there, and each of them intact. */
  async #readIntact(folder: ObjectFolder, index: number, buffer: Uint8Array): Promise<boolean> {
    try {
      const handle = await this.#handle(folder);
      if (handle === undefined) return false;
      const read = await readFully(handle, index * BLOCK_SIZE, buffer.length, buffer);
      if (read.length < buffer.length) return false;
    } catch (error) {
      if (!UNREADABLE.includes(systemCode(error) ?? '')) throw error;
      return false;
    }
    const { checksums } = this.#known;
    for (let at = 0; at < buffer.length; at += BLOCK_SIZE) {
      const block = buffer.subarray(at, at + BLOCK_SIZE);
      if (!isBlockIntact(checksums, index + at / BLOCK_SIZE, block)) return false;
    }
    return true;
  }

  /** Whether a folder's copy is intact: its size and every block. */
  async isIntact(folder: ObjectFolder): Promise<boolean> {
    if ((await folder.sizeOf(this.#known.object)) !== this.#known.size) return false;
    for (let index = 0; index < blockCount(this.#known.size); index++) {
      if ((await this.blockOf(folder, index)) === undefined) return false;
    }
    return true;
  }

  async close(): Promise<void> {
    for (const handle of this.#handles.values()) await handle?.close();
    this.#handles.clear();
  }

  async #handle(folder: ObjectFolder): Promise<FileHandle | undefined> {
    if (this.#handles.has(folder)) return this.#handles.get(folder);
    let handle: FileHandle | undefined;
    try {
      handle = await open(folder.pathOf(this.#known.object), 'r');
    } catch (error) {
      if (!UNREADABLE.includes(systemCode(error) ?? '')) throw error;
    }
    this.#handles.set(folder, handle);
    return handle;
  }
}

/** SHA-256 of a folder's copy in hex; undefined when it cannot be read. */
export const sha256Of = async (
  folder: ObjectFolder,
  name: string,
  pace: Pace = FULL_SPEED,
): Promise<string | undefined> => {
  let handle: FileHandle;
  try {
    handle = await open(folder.pathOf(name), 'r');
  } catch (error) {
    if (UNREADABLE.includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const hash = createHash('sha256');
    for (let at = 0; ; ) {
      const chunk = await readFully(handle, at, BLOCK_SIZE);
      if (chunk.length === 0) return hash.digest('hex');
      hash.update(chunk);
      at += chunk.length;
      await pace();
    }
  } catch (error) {
    if (UNREADABLE.includes(systemCode(error) ?? '')) return undefined;
    throw error;
  } finally {
    await handle.close();
  }
};
