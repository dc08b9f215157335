import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../contract/settings.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { encodingOf } from '../net/content-encoding.ts';
import { parseContentRange } from '../net/content-range.ts';
import { explainStatus, isTransientStatus } from '../net/http-status.ts';
import { machineSlept } from '../net/slept.ts';
import type { OpenedResponse } from '../net/types.ts';
import { BlockCache } from './block-cache.ts';
import type { RangeReaderOptions } from './types.ts';

/** The unit of caching, and the least that is fetched at once. */
export const BLOCK_BYTES = 64 * 1024;
/** 8 MB: the index of a long MP4 fits, so that it is not fetched twice. */
const CACHED_BLOCKS = 128;
/** Reading on doubles what is fetched at once up to 1 MB, but never past a quarter of what was read in a row. */
const MAX_BLOCKS_AT_ONCE = 16;
const TRIES = 4;
/** What a mirror answers when the link to it has run out: the original address gives a new one. */
const EXPIRED = new Set([400, 401, 403, 404, 410]);

/** What must stay the same from one range to the next. */
export type RemoteIdentity = {
  readonly totalBytes: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

export type FirstAnswer =
  | { readonly supported: true; readonly identity: RemoteIdentity; readonly head: OpenedResponse }
  | { readonly supported: false; readonly reason: string };

/** Whether the connection failed, and not the file: another try may go well. */
const isBroken = (error: unknown): boolean =>
  isAppError(error) && error.code === 'download_failed' && error.cause !== undefined;

const changed = (): AppError =>
  new AppError('download_failed', 'The file changed on the server while it was being read. Try again.');

const identityOf = (response: OpenedResponse, totalBytes: number): RemoteIdentity => ({
  totalBytes,
  etag: response.headers.etag ?? null,
  lastModified: response.headers['last-modified'] ?? null,
});

/** A remote file, fetched in blocks through the guarded client. One fetch at a time. */
export class RemoteFile {
  readonly #options: RangeReaderOptions;
  readonly #cache = new BlockCache(CACHED_BLOCKS);
  #identity: RemoteIdentity | null = null;
  /** Where the redirects of the first request led: the later ones go there at once, and to the same mirror. */
  #url: string;
  #fetched = 0;
  #queue: Promise<unknown> = Promise.resolve();
  /** The block after the last fetch, and how many were fetched in a row up to it. */
  #next = 0;
  #inRow = 0;

  constructor(options: RangeReaderOptions) {
    this.#options = options;
    this.#url = options.url;
  }

  get bytesFetched(): number {
    return this.#fetched;
  }

  get totalBytes(): number {
    return this.#identity?.totalBytes ?? 0;
  }

  /** Fetches the first block, and learns from the answer whether the server serves ranges. */
  async open(): Promise<FirstAnswer> {
    const response = await this.#request(0, BLOCK_BYTES - 1);
    const range = response.status === 206 ? parseContentRange(response.headers['content-range']) : null;
    const reason = this.#whyUnsupported(response, range?.total ?? null, range?.first ?? null);
    if (reason !== null || range === null || range.total === null) {
      response.body.destroy();
      return { supported: false, reason: reason ?? 'The server does not serve parts of files.' };
    }
    const identity = identityOf(response, range.total);
    this.#identity = identity;
    if (response.redirected) this.#url = response.url;
    this.#store(0, await this.#read(response, Math.min(BLOCK_BYTES, range.total)));
    return { supported: true, identity, head: response };
  }

  /** The bytes of one block; the last one is shorter. */
  async block(index: number): Promise<Buffer> {
    const known = this.#cache.get(index);
    if (known !== undefined) return known;
    const fetching = this.#queue.then(() => this.#load(index));
    this.#queue = fetching.catch(() => undefined);
    return fetching;
  }

  close(): void {
    this.#cache.clear();
  }

  #whyUnsupported(response: OpenedResponse, total: number | null, first: number | null): string | null {
    if (response.status === 416) return 'The server says that the file is empty.';
    if (response.status === 200) return 'The server sends whole files only.';
    if (response.status !== 206) {
      response.body.destroy();
      throw explainStatus(response);
    }
    if (encodingOf(response) !== null) return 'The server packs the file.';
    return first === 0 && total !== null ? null : 'The server answers ranges wrongly.';
  }

  async #load(index: number): Promise<Buffer> {
    for (let tries = 1; ; tries++) {
      const known = this.#cache.get(index);
      if (known !== undefined) return known;
      const begun = Date.now();
      try {
        await this.#fetch(index);
      } catch (error) {
        const slept = machineSlept(
          Date.now() - begun,
          this.#options.stallSeconds ?? DEFAULT_NETWORK_STALL_SECONDS,
        );
        const transient =
          isBroken(error) || (slept && isAppError(error) && error.code === 'download_timeout');
        if (!transient || tries === TRIES) throw error;
        await delay(200 * 2 ** tries, undefined, { signal: this.#options.signal }).catch(() => undefined);
        throwIfAborted(this.#options.signal);
      }
    }
  }

  async #fetch(index: number): Promise<void> {
    this.#inRow = index === this.#next ? this.#inRow : 0;
    const wanted = Math.max(1, Math.min(MAX_BLOCKS_AT_ONCE, Math.floor(this.#inRow / 4)));
    let count = 1;
    while (count < wanted && !this.#cache.has(index + count)) count++;
    const first = index * BLOCK_BYTES;
    const last = Math.min(this.totalBytes, first + count * BLOCK_BYTES) - 1;
    let response = await this.#request(first, last);
    if (EXPIRED.has(response.status) && this.#url !== this.#options.url) {
      response.body.destroy();
      this.#url = this.#options.url;
      response = await this.#request(first, last);
    }
    try {
      this.#checkSame(response, first, last);
      this.#store(index, await this.#read(response, last - first + 1));
    } finally {
      response.body.destroy();
    }
  }

  #store(index: number, bytes: Buffer): void {
    const count = Math.ceil(bytes.length / BLOCK_BYTES);
    for (let i = 0; i < count; i++) {
      this.#cache.set(index + i, bytes.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES));
    }
    this.#next = index + count;
    this.#inRow += count;
  }

  async #request(first: number, last: number): Promise<OpenedResponse> {
    const { client, signal, stallSeconds, maxBytes } = this.#options;
    if (this.#fetched + last - first + 1 > maxBytes) {
      throw new AppError(
        'download_too_large',
        `The range needs more than the limit of ${formatBytes(maxBytes)} of the file.`,
      );
    }
    const etag = this.#identity?.etag ?? null;
    return client.open({
      url: this.#url,
      purpose: 'audio',
      signal,
      stallSeconds,
      headers: {
        range: `bytes=${first}-${last}`,
        ...(etag === null || etag.startsWith('W/') ? {} : { 'if-range': etag }),
      },
    });
  }

  #checkSame(response: OpenedResponse, first: number, last: number): void {
    const identity = this.#identity;
    if (isTransientStatus(response.status)) {
      const explained = explainStatus(response);
      throw new AppError(explained.code, explained.message, { cause: response.status });
    }
    if (response.status === 200 || response.status === 416) throw changed();
    if (response.status !== 206) throw explainStatus(response);
    const range = parseContentRange(response.headers['content-range']);
    if (range?.first !== first || range.last !== last || encodingOf(response) !== null) {
      throw new AppError(
        'download_failed',
        'The server sent another part of the file than it was asked for.',
      );
    }
    const now = identityOf(response, range.total ?? this.totalBytes);
    const same =
      now.totalBytes === identity?.totalBytes &&
      now.etag === identity.etag &&
      now.lastModified === identity.lastModified;
    if (!same) throw changed();
  }

  /** Reads an answer; one that breaks off in the middle gives the whole blocks that came until then. */
  async #read(response: OpenedResponse, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    let broken: unknown;
    try {
      for await (const chunk of response.body) {
        if (!Buffer.isBuffer(chunk)) continue;
        this.#fetched += chunk.length;
        if (filled + chunk.length > length) {
          throw new AppError('download_failed', 'The server sent more of the file than it was asked for.');
        }
        filled += chunk.copy(bytes, filled);
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
      broken = error;
    }
    if (filled < length) {
      const whole = filled - (filled % BLOCK_BYTES);
      if (whole > 0) return bytes.subarray(0, whole);
      throw (
        broken ??
        new AppError('download_failed', 'The server broke off in the middle of a part of the file.', {
          cause: filled,
        })
      );
    }
    return bytes;
  }
}
