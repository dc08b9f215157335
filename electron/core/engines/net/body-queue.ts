import { Readable } from 'node:stream';
import { SlowBodyError } from './network-errors.ts';
import type { MinRate } from './types.ts';

/** The source is paused while this many bytes wait for a slower reader. */
const HIGH_WATER = 256 * 1024;

type BodyOptions = {
  readonly source: Readable;
  readonly minRate?: MinRate;
  /** Converts the source's error into the one that the reader gets. */
  readonly explain: (error: unknown) => Error;
  /** Called once, when the reader has read everything or has closed the stream. */
  readonly onClose: (bytes: number, failure: Error | null) => void;
};

/** Measures a source's rate over the time that its reader waits for it. */
class RateMeter {
  readonly #minRate: MinRate;
  #waitedMs = 0;
  #bytes = 0;

  constructor(minRate: MinRate) {
    this.#minRate = minRate;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Calls `onSlow` once the source has been too slow for long enough; returns a function that ends the wait. */
  startWait(onSlow: (minRate: MinRate) => void): () => void {
    const { bytesPerSecond, overSeconds } = this.#minRate;
    // Here and not where a wait ends: more can arrive between two waits.
    if (this.#bytes >= bytesPerSecond * overSeconds) {
      this.#waitedMs = 0;
      this.#bytes = 0;
    }
    const startedAt = performance.now();
    const timer = setTimeout(() => onSlow(this.#minRate), overSeconds * 1000 - this.#waitedMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
      this.#waitedMs += performance.now() - startedAt;
    };
  }
}

/**
 * Delivers everything that arrived before an error, then the error. A Node stream that fails discards its buffer, and
 * crashes the program if nobody listens for `error` yet.
 */
class BodyQueue implements AsyncIterableIterator<Buffer> {
  readonly #options: BodyOptions;
  readonly #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #bytes = 0;
  #isEnded = false;
  #isClosed = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  readonly #meter: RateMeter | null;

  constructor(options: BodyOptions) {
    this.#options = options;
    const { source, minRate } = options;
    this.#meter = minRate === undefined ? null : new RateMeter(minRate);
    source.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#meter?.add(chunk.length);
      this.#bufferedBytes += chunk.length;
      this.#chunks.push(chunk);
      if (this.#bufferedBytes >= HIGH_WATER) source.pause();
      this.#wakeReader();
    });
    source.on('end', () => this.#finish(null));
    source.on('error', (error) => this.#finish(error));
    source.on('close', () => this.#finish(new Error('closed early')));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && !this.#isEnded && !this.#isClosed) {
      const endWait = this.#meter?.startWait((minRate) => this.#finish(new SlowBodyError(minRate)));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      endWait?.();
    }
    // Closed while it waited: a normal end would look like the end of the file.
    if (this.#isClosed) throw new Error('The body was closed before its end.');
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bufferedBytes -= chunk.length;
      if (this.#bufferedBytes < HIGH_WATER) this.#options.source.resume();
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

  #finish(failure: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure === null ? null : this.#options.explain(failure);
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks.length = 0;
    this.#wakeReader();
    this.#options.source.destroy();
    this.#options.onClose(this.#bytes, this.#failure);
  }
}

/** A stream that delivers everything that its source did before it failed. */
export const bodyStream = (options: BodyOptions): Readable =>
  // One chunk at a time: an error would discard what this stream has buffered.
  Readable.from(new BodyQueue(options), { objectMode: false, highWaterMark: 1 });
