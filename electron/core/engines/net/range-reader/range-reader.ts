import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { cancellationError, onAbort } from '../../../base/abort.ts';
import { AppError, isAppError, messageOf } from '../../../base/errors.ts';
import { isSameSecret, newToken } from '../../../base/ids.ts';
import { downloadFileName } from '../file-name.ts';
import {
  type RangeReader,
  type RangeReaderOptions,
  type RangeReaderResult,
  RemoteFile,
} from './remote-file.ts';

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
