import { Readable } from 'node:stream';

/** Bytes held for a reader that is slower than the network; then the source is paused. */
const HIGH_WATER = 256 * 1024;

type BodyOptions = {
  readonly source: Readable;
  /** Turns the source's error into the one to hand on. */
  readonly explain: (error: unknown) => Error;
  /** Called once, when the reader has had all or wants no more. */
  readonly onClose: (bytes: number, failure: Error | null) => void;
};

/**
 * Stands between a network stream and its reader. A Node stream that fails throws away what it holds, and
 * brings the program down if nobody listens yet; here what has come is handed out first, and the error after
 * it, to whoever reads.
 */
class BodyQueue implements AsyncIterableIterator<Buffer> {
  readonly #options: BodyOptions;
  readonly #chunks: Buffer[] = [];
  #held = 0;
  #bytes = 0;
  #ended = false;
  #closed = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(options: BodyOptions) {
    this.#options = options;
    const { source, explain } = options;
    source.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#held += chunk.length;
      this.#chunks.push(chunk);
      if (this.#held >= HIGH_WATER) source.pause();
      this.#wakeUp();
    });
    source.on('end', () => this.#finish(null));
    source.on('error', (error) => this.#finish(explain(error)));
    source.on('close', () => this.#finish(explain(new Error('closed early'))));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && !this.#ended && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    // The reader has left while it waited: an end here would look like the end of the file.
    if (this.#closed) throw new Error('The body was closed before its end.');
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#held -= chunk.length;
      if (this.#held < HIGH_WATER) this.#options.source.resume();
      return { value: chunk, done: false };
    }
    const failure = this.#failure;
    this.#close();
    if (failure !== null) throw failure;
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#close();
    return { value: undefined, done: true };
  }

  #finish(failure: Error | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks.length = 0;
    this.#wakeUp();
    this.#options.source.destroy();
    this.#options.onClose(this.#bytes, this.#failure);
  }
}

/** A stream over a network stream that hands out all that came before it fails. */
export const bodyStream = (options: BodyOptions): Readable =>
  // One chunk at a time: what this stream itself holds would be lost with an error.
  Readable.from(new BodyQueue(options), { objectMode: false, highWaterMark: 1 });
