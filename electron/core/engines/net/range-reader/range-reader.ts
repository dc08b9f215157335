import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_NETWORK_STALL_SECONDS } from '../../../../contract/settings.ts';
import { cancellationError, onAbort, throwIfAborted } from '../../../base/abort.ts';
import { AppError, isAppError, messageOf } from '../../../base/errors.ts';
import { isSameSecret, newToken } from '../../../base/ids.ts';
import { formatBytes } from '../../../base/numbers.ts';
import {
  type ContentRange,
  explainStatus,
  isEncoded,
  isTransientStatus,
  parseContentRange,
} from '../content-encoding.ts';
import { downloadFileName } from '../file-name.ts';
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
type RemoteIdentity = {
  readonly totalBytes: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

type OpenResult =
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
class RemoteFile {
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

/**
 * Bounds of what a response fetches; ffmpeg requests the rest (`-reconnect`). A longer response would fill the sockets' buffers
 * with megabytes that are fetched and never read; ffmpeg reads a few KB after most seeks. Within the bounds, it is an eighth
 * of what was read sequentially: reading an index of half a megabyte fetches at most a tenth more.
 */
const MIN_WINDOW = 48 * 1024;
const MAX_WINDOW = 1024 * 1024;
const SHARE_AHEAD = 1 / 8;

/** Parses `bytes=10-` or `bytes=10-99`, which ffmpeg sends; null for anything else. */
const parseRange = (header: string | undefined, total: number): { first: number; last: number } | null => {
  if (header === undefined) return { first: 0, last: total - 1 };
  const match = /^bytes=(\d+)-(\d*)$/.exec(header);
  if (match === null) return null;
  const first = Number(match[1]);
  const last = match[2] === '' ? total - 1 : Math.min(total - 1, Number(match[2]));
  return first <= last ? { first, last } : null;
};

const writeSlice = async (response: ServerResponse, slice: Buffer): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    response.write(slice, (error) => (error ? reject(error) : resolve()));
  });
};

/** Serves one remote file to ffmpeg on a loopback port, under a secret path. */
class LoopbackServer {
  readonly #file: RemoteFile;
  readonly #token = newToken();
  readonly #server: Server;
  #failure: AppError | null = null;
  /** End of the last response, and the bytes read sequentially up to it. */
  #readEnd = 0;
  #sequentialBytes = 0;

  constructor(file: RemoteFile) {
    this.#file = file;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => this.#fail(error, response));
    });
  }

  get failure(): AppError | null {
    return this.#failure;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') {
      throw new AppError('internal_error', 'The range reader got no port.');
    }
    return `http://127.0.0.1:${address.port}/${this.#token}`;
  }

  fail(error: AppError): void {
    this.#failure ??= error;
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    this.#file.close();
  }

  #fail(error: unknown, response: ServerResponse): void {
    // ffmpeg closes a connection whenever it seeks: that is no failure.
    if (response.destroyed || response.socket?.destroyed) return;
    this.#failure ??= isAppError(error)
      ? error
      : new AppError('download_failed', `Reading the file failed: ${messageOf(error)}.`, { cause: error });
    response.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isSameSecret(request.url ?? '', `/${this.#token}`)) {
      response.writeHead(404).end();
      return;
    }
    if (this.#failure !== null) {
      response.writeHead(502).end();
      return;
    }
    const total = this.#file.totalBytes;
    const range = parseRange(request.headers.range, total);
    if (range === null) {
      response.writeHead(416, { 'content-range': `bytes */${total}` }).end();
      return;
    }
    const last = this.#endOf(range) - 1;
    response.writeHead(206, {
      'accept-ranges': 'bytes',
      connection: 'close',
      'content-type': 'application/octet-stream',
      'content-length': last - range.first + 1,
      'content-range': `bytes ${range.first}-${last}/${total}`,
    });
    if (request.method === 'HEAD') response.end();
    else await this.#send(response, range.first, last);
  }

  /** The end of a response to a range: at most that of what is cached, so that nothing is fetched before it is requested. */
  #endOf({ first, last }: { first: number; last: number }): number {
    if (first !== this.#readEnd) this.#sequentialBytes = 0;
    const ahead = Math.round(this.#sequentialBytes * SHARE_AHEAD);
    const window = Math.max(MIN_WINDOW, Math.min(MAX_WINDOW, ahead));
    this.#readEnd = Math.min(last + 1, this.#file.cachedEnd(first) ?? first + window);
    this.#sequentialBytes += this.#readEnd - first;
    return this.#readEnd;
  }

  async #send(response: ServerResponse, first: number, last: number): Promise<void> {
    let position = first;
    while (position <= last && !response.destroyed) {
      const part = await this.#file.read(position, last);
      await writeSlice(response, part);
      position += part.length;
    }
    response.end();
  }
}

/**
 * Opens a remote file for reading by ranges: fetches its first 16 KB and, if the server supports ranges, starts a loopback
 * server that forwards ffmpeg's reads part by part, with a small cache. All ranges must be of the same version of the
 * file. Throws as `HttpClient.open` does, and `download_failed` for a response that is not the file.
 */
export const openRangeReader = async (options: RangeReaderOptions): Promise<RangeReaderResult> => {
  const file = new RemoteFile(options);
  const first = await file.open();
  if (!first.supported) {
    return { supported: false, reason: first.reason, bytesFetched: file.bytesFetched };
  }
  const { head, identity } = first;
  const start = await file.head();
  const server = new LoopbackServer(file);
  const url = await server.listen();
  const unlisten = onAbort(options.signal, () => server.fail(cancellationError(options.signal)));
  const reader: RangeReader = {
    kind: 'range',
    url,
    totalBytes: identity.totalBytes,
    fileName: downloadFileName(head.headers, options.url, head.url),
    contentType: head.headers['content-type'] ?? null,
    finalUrl: head.url,
    identity: createHash('sha256').update(JSON.stringify(identity)).update(start).digest('hex'),
    bytesFetched: () => file.bytesFetched,
    failure: () => server.failure,
    close: async () => {
      unlisten();
      await server.close();
    },
  };
  return { supported: true, reader };
};
