/** Bytes with random access. */
export type ByteSource = {
  readonly size: number;
  /**
   * Reads from `start` to before `end`, in chunks that lie in what `memory` returned for them, which has room for so many
   * bytes. Closes what it opens when the reader stops early.
   */
  read(start: number, end: number, memory: (bytes: number) => Uint8Array): AsyncGenerator<Uint8Array>;
};
