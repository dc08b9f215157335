import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../../contract/settings.ts';
import { throwIfAborted } from '../../../base/abort.ts';
import { AppError, isAppError } from '../../../base/errors.ts';
import { formatBytes } from '../../../base/numbers.ts';
import {
  type ContentRange,
  explainStatus,
  isEncoded,
  isTransientStatus,
  parseContentRange,
} from '../content-encoding.ts';
import { DOWNLOAD_MIN_RATE } from '../network-errors.ts';
import { wasSuspended } from '../suspend.ts';
import type { HttpClient, MinRate, OpenedResponse } from '../types.ts';

export type RangeReaderOptions = {
  readonly client: HttpClient;
  readonly url: string;
  readonly signal?: AbortSignal;
  /** Seconds without progress; default: that of the setting `network.stallSeconds`. */
  readonly stallSeconds?: number;
  /** Default DOWNLOAD_MIN_RATE. */
  readonly minRate?: MinRate;
  /** Most bytes to fetch in all; more is `download_too_large`. */
  readonly maxBytes: number;
};

/** A remote file that ffmpeg reads through a loopback URL. */
export type RangeReader = {
  readonly kind: 'range';
  /** `http://127.0.0.1:<port>/<token>`: for ffmpeg alone. */
  readonly url: string;
  readonly totalBytes: number;
  readonly fileName: string;
  readonly contentType: string | null;
  readonly finalUrl: string;
  /** Identifies the version of the file: a hash of its first block, size and validators. */
  readonly identity: string;
  /** Bytes fetched from the remote server so far. */
  bytesFetched(): number;
  /** The upstream error; ffmpeg sees no more than an input/output error. */
  failure(): AppError | null;
  close(): Promise<void>;
};

export type RangeReaderResult =
  | { readonly supported: true; readonly reader: RangeReader }
  /** The server does not support ranges: download the whole file instead. */
  | { readonly supported: false; readonly reason: string; readonly bytesFetched: number };

/** A run of a file's bytes. */
type Extent = { readonly start: number; readonly bytes: Buffer };

const endOf = ({ start, bytes }: Extent): number => start + bytes.length;

/** A least-recently-used cache of parts of a file, which do not overlap. */
export class ExtentCache {
  /** The least recently used one first. */
  readonly #extents: Extent[] = [];
  readonly #capacity: number;
  #size = 0;

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The bytes from a position to the end of the part that it is in; undefined if nothing is cached. */
  from(position: number): Buffer | undefined {
    const index = this.#extents.findIndex((extent) => extent.start <= position && position < endOf(extent));
    const [found] = index < 0 ? [] : this.#extents.splice(index, 1);
    if (found === undefined) return undefined;
    this.#extents.push(found);
    return found.bytes.subarray(position - found.start);
  }

  /** Where the next part after a position starts; infinite if there is none. */
  nextAfter(position: number): number {
    return Math.min(...this.#extents.flatMap(({ start }) => (start > position ? [start] : [])));
  }

  /** Adds bytes none of which is cached, and drops the least recently used parts beyond the capacity. */
  add(start: number, bytes: Buffer): void {
    this.#extents.push({ start, bytes });
    this.#size += bytes.length;
    while (this.#size > this.#capacity) this.#size -= this.#extents.shift()?.bytes.length ?? this.#size;
  }

  clear(): void {
    this.#extents.length = 0;
    this.#size = 0;
  }
}

/** The first fetch: what tells a recording from other files, and the first frames of an MP3. */
const HEAD_BYTES = 16 * 1024;
/** The last fetch before a file is read: the tag at the end of an MP3, which ffmpeg reads anyway. */
const TAIL_BYTES = 1024;
/** The index of a long MP4 fits, so that it is not fetched twice. */
const CACHED_BYTES = 8 * 1024 * 1024;
const MAX_ATTEMPTS = 4;
/** Statuses of a redirected URL that has expired: the original URL leads to a new one. */
const EXPIRED = new Set([400, 401, 403, 404, 410]);

/** Must be equal in all responses: otherwise the file has changed. */
export type RemoteIdentity = {
  readonly totalBytes: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

export type OpenResult =
  | { readonly supported: true; readonly identity: RemoteIdentity; readonly head: OpenedResponse }
  | { readonly supported: false; readonly reason: string };

/** Whether the connection failed rather than the request, so that a retry can succeed. */
const isConnectionFailure = (error: unknown): boolean =>
  isAppError(error) && error.code === 'download_failed' && error.cause !== undefined;

const fileChanged = (): AppError =>
  new AppError('download_failed', 'The file changed on the server while it was being read. Try again.');

const identityOf = (response: OpenedResponse, totalBytes: number): RemoteIdentity => ({
  totalBytes,
  etag: response.headers.etag ?? null,
  lastModified: response.headers['last-modified'] ?? null,
});

/** A remote file, read in parts, of which the latest are cached. One fetch runs at a time. */
export class RemoteFile {
  readonly #options: RangeReaderOptions;
  readonly #cache = new ExtentCache(CACHED_BYTES);
  #identity: RemoteIdentity | null = null;
  /** Where the first request was redirected: later ones go there directly, and so to the same mirror. */
  #url: string;
  #bytesFetched = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: RangeReaderOptions) {
    this.#options = options;
    this.#url = options.url;
  }

  get bytesFetched(): number {
    return this.#bytesFetched;
  }

  get totalBytes(): number {
    return this.#identity?.totalBytes ?? 0;
  }

  /**
   * Fetches the first bytes and the last ones: some servers answer every range from the beginning, which only a range from
   * elsewhere shows.
   */
  async open(): Promise<OpenResult> {
    const response = await this.#request(0, HEAD_BYTES - 1);
    const range = response.status === 206 ? parseContentRange(response.headers['content-range']) : null;
    const reason = this.#reasonUnsupported(response, range);
    if (reason !== null || range === null || range.total === null) {
      response.body.destroy();
      return { supported: false, reason: reason ?? 'The server answers ranges wrongly.' };
    }
    const { total } = range;
    const identity = identityOf(response, total);
    this.#identity = identity;
    this.#url = response.movedTo ?? this.#options.url;
    this.#cache.add(0, await this.#receive(response, Math.min(HEAD_BYTES, total)));
    if (total <= HEAD_BYTES) return { supported: true, identity, head: response };
    try {
      await this.#load(Math.max(HEAD_BYTES, total - TAIL_BYTES), total - 1);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'download_failed') throw error;
      return { supported: false, reason: error.message };
    }
    return { supported: true, identity, head: response };
  }

  /** The end of the cached bytes from a position on; undefined if it is not cached. */
  cachedEnd(position: number): number | undefined {
    const cached = this.#cache.from(position);
    return cached === undefined ? undefined : position + cached.length;
  }

  /** Reads from `first` to `last` at most, and one byte at least; fetches what is not cached of it. */
  async read(first: number, last: number): Promise<Buffer> {
    const length = last + 1 - first;
    const known = this.#cache.from(first);
    if (known !== undefined) return known.subarray(0, length);
    const fetching = this.#queue.then(() => this.#load(first, last));
    this.#queue = fetching.catch(() => undefined);
    return (await fetching).subarray(0, length);
  }

  /** The first bytes of the file, always the same number of them. */
  async head(): Promise<Buffer> {
    const end = Math.min(HEAD_BYTES, this.totalBytes);
    const parts: Buffer[] = [];
    for (let at = 0; at < end; ) {
      const part = await this.read(at, end - 1);
      parts.push(part);
      at += part.length;
    }
    return Buffer.concat(parts);
  }

  close(): void {
    this.#cache.clear();
  }

  #reasonUnsupported(response: OpenedResponse, range: ContentRange | null): string | null {
    if (response.status === 416) return 'The server says that the file is empty.';
    if (response.status === 200) return 'The server sends whole files only.';
    // Whether the whole file is served, too, the download finds out.
    if (response.status !== 206) return explainStatus(response).message;
    if (isEncoded(response)) return 'The server packs the file.';
    const last = Math.min(HEAD_BYTES, range?.total ?? 0) - 1;
    return range?.first === 0 && range.last === last ? null : 'The server answers ranges wrongly.';
  }

  async #load(first: number, last: number): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const known = this.#cache.from(first);
      if (known !== undefined) return known;
      const startedAt = Date.now();
      try {
        await this.#fetch(first, Math.min(last, this.#cache.nextAfter(first) - 1));
      } catch (error) {
        const isSuspended = wasSuspended(
          Date.now() - startedAt,
          this.#options.stallSeconds ?? DEFAULT_NETWORK_STALL_SECONDS,
        );
        const isTransient =
          isConnectionFailure(error) ||
          (isSuspended && isAppError(error) && error.code === 'download_timeout');
        if (!isTransient || attempt === MAX_ATTEMPTS) throw error;
        await delay(200 * 2 ** attempt, undefined, { signal: this.#options.signal }).catch(() => undefined);
        throwIfAborted(this.#options.signal);
      }
    }
  }

  async #fetch(first: number, last: number): Promise<void> {
    let response = await this.#request(first, last);
    if (EXPIRED.has(response.status) && this.#url !== this.#options.url) {
      response.body.destroy();
      this.#url = this.#options.url;
      response = await this.#request(first, last);
    }
    try {
      this.#checkResponse(response, first, last);
      this.#cache.add(first, await this.#receive(response, last - first + 1));
    } finally {
      response.body.destroy();
    }
  }

  async #request(first: number, last: number): Promise<OpenedResponse> {
    const { client, signal, stallSeconds, minRate, maxBytes } = this.#options;
    if (this.#bytesFetched + last - first + 1 > maxBytes) {
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
      minRate: minRate ?? DOWNLOAD_MIN_RATE,
      headers: {
        range: `bytes=${first}-${last}`,
        ...(etag === null || etag.startsWith('W/') ? {} : { 'if-range': etag }),
      },
    });
  }

  #checkResponse(response: OpenedResponse, first: number, last: number): void {
    const identity = this.#identity;
    if (isTransientStatus(response.status)) {
      const explained = explainStatus(response);
      throw new AppError(explained.code, explained.message, { cause: response.status });
    }
    if (response.status === 200 || response.status === 416) throw fileChanged();
    if (response.status !== 206) throw explainStatus(response);
    const range = parseContentRange(response.headers['content-range']);
    if (range?.first !== first || range.last !== last || isEncoded(response)) {
      throw new AppError(
        'download_failed',
        'The server sent another part of the file than it was asked for.',
      );
    }
    const now = identityOf(response, range.total ?? this.totalBytes);
    const isSame =
      now.totalBytes === identity?.totalBytes &&
      now.etag === identity.etag &&
      now.lastModified === identity.lastModified;
    if (!isSame) throw fileChanged();
  }

  /** Receives a response. If it breaks off, returns what was received until then. */
  async #receive(response: OpenedResponse, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    let failure: unknown;
    try {
      for await (const chunk of response.body) {
        if (!Buffer.isBuffer(chunk)) continue;
        this.#bytesFetched += chunk.length;
        if (filled + chunk.length > length) {
          throw new AppError('download_failed', 'The server sent more of the file than it was asked for.');
        }
        filled += chunk.copy(bytes, filled);
      }
    } catch (error) {
      if (!isConnectionFailure(error)) throw error;
      failure = error;
    }
    if (filled < length) {
      if (filled > 0) return bytes.subarray(0, filled);
      throw (
        failure ??
        new AppError('download_failed', 'The server broke off in the middle of a part of the file.', {
          cause: filled,
        })
      );
    }
    return bytes;
  }
}
