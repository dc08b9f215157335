import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { BlockChecksums } from './blocks.ts';
import type { ObjectFolder } from './folder.ts';

const NAME = /^(file_[0-9A-Z]{26})\.json$/;

/**
 * The bytes of recordings that are still being made, each in a file to which chunks are appended, with a description as
 * JSON beside it. They are outside of the database, so that a damaged one costs none of them.
 */
export class RecordingFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Where a recording's bytes lie. */
  pathOf(id: string): string {
    return join(this.#root, `${id}.part`);
  }

  /** Every recording with the text of its description and its size in bytes. */
  async list(): Promise<{ id: string; description: string; size: number }[]> {
    await this.#prepare();
    const ids = (await readdir(this.#root)).flatMap((name) => NAME.exec(name)?.[1] ?? []);
    return Promise.all(
      ids.map(async (id) => ({
        id,
        description: await readFile(this.#descriptionOf(id), 'utf8'),
        size: (await stat(this.pathOf(id))).size,
      })),
    );
  }

  /** Adds an empty recording. The description comes last: what lacks one is none. */
  async create(id: string, description: string): Promise<void> {
    await this.#prepare();
    await (await open(this.pathOf(id), 'wx', 0o600)).close();
    const temporary = `${this.#descriptionOf(id)}.new`;
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(description);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.#descriptionOf(id));
  }

  /** Writes a chunk at `offset`, which is the recording's end, and flushes it. A failure leaves nothing of the chunk. */
  async append(id: string, offset: number, chunk: Uint8Array): Promise<void> {
    const handle = await open(this.pathOf(id), 'r+');
    try {
      for (let at = 0; at < chunk.length; ) {
        at += (await handle.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;
      }
      await handle.sync();
    } catch (error) {
      await handle.truncate(offset);
      throw error;
    } finally {
      await handle.close();
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#descriptionOf(id), { force: true });
    await rm(this.pathOf(id), { force: true });
  }

  #descriptionOf(id: string): string {
    return join(this.#root, `${id}.json`);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
  }
}

type StagedBytes = {
  readonly size: number;
  /** Hex, as `sha256`. */
  readonly md5: string;
  readonly sha256: string;
  /** CRC-32 of each block. */
  readonly checksums: Uint8Array;
};

/** An object that lies whole and flushed in `incoming` of every folder. Ends with `commit` or `abort`. */
export type StagedObject = StagedBytes & {
  readonly object: string;
  /** Where the bytes lie until `commit`, for scanners. */
  readonly path: string;
  /**
   * Moves the object into place in every folder, durably, and then calls `record`, which inserts its file's row.
   * When this rejects, the caller has to `abort`.
   */
  commit<T>(record: () => T): Promise<T>;
  /** Removes the object from every folder, unless it was committed. */
  abort(): Promise<void>;
};

/** Bytes, and chunks, that are written at once: each write waits for a thread, which takes longer than small writes. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_CHUNKS = 512;

const withoutFirst = (chunks: readonly Uint8Array[], bytes: number): Uint8Array[] => {
  let skip = bytes;
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
};

const writeFully = async (handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> => {
  for (let rest = withoutFirst(chunks, 0); rest.length > 0; ) {
    rest = withoutFirst(rest, (await handle.writev(rest)).bytesWritten);
  }
};

/** Writes chunks to several files, a batch at a time while the next one is gathered. */
class BatchWriter {
  readonly #handles: readonly FileHandle[];
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #inFlight: Promise<unknown> = Promise.resolve();

  constructor(handles: readonly FileHandle[]) {
    this.#handles = handles;
  }

  /** Rejects if an earlier write failed. No one may change the chunk afterwards. */
  async add(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= BATCH_BYTES || this.#chunks.length >= BATCH_CHUNKS) await this.#startBatch();
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    await this.#startBatch();
    await this.#inFlight;
  }

  /** Resolves when nothing is being written, whether that failed or not. */
  async settle(): Promise<void> {
    await this.#inFlight.catch(() => undefined);
  }

  async #startBatch(): Promise<void> {
    await this.#inFlight;
    const batch = this.#chunks;
    [this.#chunks, this.#bytes] = [[], 0];
    this.#inFlight = Promise.all(this.#handles.map((handle) => writeFully(handle, batch)));
    // Reported by the next call; without a handler it would end the process before that.
    this.#inFlight.catch(() => undefined);
  }
}

/** Reads the next chunk of a body; a body that breaks off is the sender's fault, not the disk's. */
const nextChunk = async (iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> => {
  try {
    return await iterator.next();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', 'The upload broke off before it was whole.', { cause: error });
  }
};

/**
 * Writes a stream into `incoming` of every folder at once while hashing it, and flushes each file. `onChunk` is awaited
 * before each chunk is written and throws to refuse the rest. When it rejects, the files are closed but not removed.
 */
export const writeStaged = async (
  folders: readonly ObjectFolder[],
  object: string,
  source: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void | Promise<void>,
): Promise<StagedBytes> => {
  const handles: FileHandle[] = [];
  const iterator = source[Symbol.asyncIterator]();
  const [md5, sha256, blocks] = [createHash('md5'), createHash('sha256'), new BlockChecksums()];
  const writer = new BatchWriter(handles);
  let size = 0;
  try {
    for (const folder of folders) handles.push(await folder.create(object));
    for (;;) {
      const next = await nextChunk(iterator);
      if (next.done === true) break;
      const chunk = next.value;
      await onChunk(chunk);
      size += chunk.length;
      await writer.add(chunk);
      // Hashing overlaps with the writes.
      md5.update(chunk);
      sha256.update(chunk);
      blocks.update(chunk);
    }
    await writer.finish();
    await Promise.all(handles.map((handle) => handle.sync()));
  } catch (error) {
    await iterator.return?.();
    throw error;
  } finally {
    await writer.settle();
    for (const handle of handles) await handle.close();
  }
  return { size, md5: md5.digest('hex'), sha256: sha256.digest('hex'), checksums: blocks.finish() };
};
