import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import { BlockChecksums } from './blocks.ts';
import type { ObjectFolder } from './folder.ts';

/** An object whose bytes are whole and flushed, but that nothing knows of yet. */
export type StagedObject = {
  readonly object: string;
  readonly size: number;
  readonly md5: string;
  readonly sha256: string;
  readonly checksums: Uint8Array;
};

const writeFully = async (handle: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
};

/** The next part of a body; a body that breaks off is the sender's fault, not the disk's. */
const nextChunk = async (iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> => {
  try {
    return await iterator.next();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', 'The upload broke off before it was whole.', { cause: error });
  }
};

/**
 * Writes a stream into `incoming` of every folder at once while hashing it, and flushes each.
 * `watch` sees each chunk before it is written and throws to refuse the rest. When anything fails, the
 * files are closed and it rejects; removing them is the caller's.
 */
export const receiveInto = async (
  folders: readonly ObjectFolder[],
  object: string,
  source: AsyncIterable<Uint8Array>,
  watch: (chunk: Uint8Array) => void | Promise<void>,
): Promise<StagedObject> => {
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
      await watch(chunk);
      size += chunk.length;
      // The disks write while the hashes are made.
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
  return { object, size, md5: md5.digest('hex'), sha256: sha256.digest('hex'), checksums: blocks.finish() };
};
