import { freeMemory } from '../../base/memory.ts';

/** Identifiers of EBML elements (RFC 9559), with their length marker. */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const TIMESTAMP = 0xe7;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
/** Bytes of a block before its data: the track's number, the time in the cluster, flags. */
const BLOCK_HEADER = 4;

/** Samples as a block carries them, and the time of the first one on ffmpeg's timeline. */
export type TimedSamples = { readonly milliseconds: number; readonly samples: Buffer };

type Element = { readonly id: number; readonly start: number; readonly end: number };

/** The element whose header begins at an offset; null if the header is not whole. */
const elementAt = (bytes: Buffer, at: number): Element | null => {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  const start = sizeAt + sizeLength;
  if (sizeAt >= bytes.length || start > bytes.length) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  for (let i = sizeAt + 1; i < start; i++) size = size * 256 + (bytes[i] ?? 0);
  return { id: bytes.readUIntBE(at, idLength), start, end: start + size };
};

/** Frees a read of the pipe. One with less than half of its memory may be part of Node's pool. */
const freeRead = (bytes: Buffer): void => {
  if (2 * bytes.byteLength > bytes.buffer.byteLength) freeMemory(bytes);
};

/** Reads the one track of PCM that ffmpeg writes as Matroska to a pipe, of which it takes the times. */
export class MatroskaReader {
  /** The begin of an element whose end is still to come. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes still to come of an element that is not needed. */
  #skip = 0;
  #clusterTime = 0;

  /** Takes a read of the pipe, which it frees. What it yields is valid until the next value. */
  *push(read: Buffer): Generator<TimedSamples, void, undefined> {
    const bytes = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read]);
    let at = Math.min(this.#skip, bytes.length);
    this.#skip -= at;
    for (let element = elementAt(bytes, at); element !== null; element = elementAt(bytes, at)) {
      const { id, start, end } = element;
      if (id === SEGMENT || id === CLUSTER || id === BLOCK_GROUP) {
        at = start;
        continue;
      }
      const isBlock = id === SIMPLE_BLOCK || id === BLOCK;
      if (end > bytes.length) {
        if (isBlock || id === TIMESTAMP) break;
        this.#skip = end - bytes.length;
      }
      if (id === TIMESTAMP) this.#clusterTime = bytes.readUIntBE(start, end - start);
      if (isBlock) {
        const milliseconds = this.#clusterTime + bytes.readInt16BE(start + 1);
        yield { milliseconds, samples: bytes.subarray(start + BLOCK_HEADER, end) };
      }
      at = end;
    }
    // Copied, so that the whole read can be freed.
    this.#rest = Buffer.from(bytes.subarray(at));
    freeRead(bytes);
    if (bytes !== read) freeRead(read);
  }
}
