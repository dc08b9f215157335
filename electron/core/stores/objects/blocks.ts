import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32 } from '@node-rs/crc32';

/** Everything about a file's bytes that its row holds. */
export const hashObject = async (path: string) => {
  const [md5, sha256, blocks] = [createHash('md5'), createHash('sha256'), new BlockChecksums()];
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    size += chunk.length;
    md5.update(chunk);
    sha256.update(chunk);
    blocks.update(chunk);
  }
  return { size, md5: md5.digest('hex'), sha256: sha256.digest('hex'), checksums: blocks.finish() };
};

/** Bytes of a block. Objects are checked block by block, so that reading a range checks that range alone. */
export const BLOCK_SIZE = 256 * 1024;

const BYTES_EACH = 4;

/** Number of blocks of an object of `size` bytes. */
export const blockCount = (size: number): number => Math.ceil(size / BLOCK_SIZE);

/** Computes the CRC-32 of each block of a stream. */
export class BlockChecksums {
  readonly #done: number[] = [];
  #current = 0;
  #filled = 0;

  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + BLOCK_SIZE - this.#filled);
      this.#current = crc32(part, this.#current);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === BLOCK_SIZE) this.#closeBlock();
    }
  }

  /** The checksums, four bytes each, little-endian. */
  finish(): Uint8Array {
    if (this.#filled > 0) this.#closeBlock();
    const packed = Buffer.alloc(this.#done.length * BYTES_EACH);
    this.#done.forEach((value, index) => {
      packed.writeUInt32LE(value, index * BYTES_EACH);
    });
    return packed;
  }

  #closeBlock(): void {
    this.#done.push(this.#current);
    this.#current = 0;
    this.#filled = 0;
  }
}

/** Whether a block matches its stored checksum. */
export const isBlockIntact = (checksums: Uint8Array, index: number, block: Uint8Array): boolean => {
  const view = Buffer.from(checksums.buffer, checksums.byteOffset, checksums.byteLength);
  const at = index * BYTES_EACH;
  return at + BYTES_EACH <= view.length && view.readUInt32LE(at) === crc32(block);
};
