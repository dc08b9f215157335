import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import { BlockChecksums } from './blocks.ts';
import type { ObjectFolder } from './folder.ts';

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

const writeFully = async (handle: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
};

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
  let size = 0;
  try {
    for (const folder of folders) handles.push(await folder.create(object));
    for (;;) {
      const next = await nextChunk(iterator);
      if (next.done === true) break;
      const chunk = next.value;
      await onChunk(chunk);
      size += chunk.length;
      // Hashing overlaps with the writes.
      const written = Promise.all(handles.map((handle) => writeFully(handle, chunk)));
      md5.update(chunk);
      sha256.update(chunk);
      blocks.update(chunk);
      await written;
    }
    await Promise.all(handles.map((handle) => handle.sync()));
  } catch (error) {
    await iterator.return?.();
    throw error;
  } finally {
    for (const handle of handles) await handle.close();
  }
  return { size, md5: md5.digest('hex'), sha256: sha256.digest('hex'), checksums: blocks.finish() };
};
