import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ConnectionPurpose } from '../../../contract/system.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { isSameSecret, newToken } from '../../base/ids.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { HttpClient } from './types.ts';

export type GuardedProxyOptions = {
  readonly client: HttpClient;
  readonly purpose: ConnectionPurpose;
  /** Most bytes that may be received in all. */
  readonly maxBytes: number;
  readonly stallSeconds: number;
  readonly signal: AbortSignal;
  /** Called after each received chunk. */
  readonly onBytes: () => void;
  /** Called when more than `maxBytes` were received. */
  readonly onExceeded: (error: AppError) => void;
};

/** A forward proxy for another program, under the rules of our own HTTP client. */
export type GuardedProxy = {
  /** Carries the credentials: for that program's environment alone. */
  readonly url: string;
  /** Bytes received so far. */
  bytes(): number;
  /** Why the first connection that failed did so. */
  failure(): AppError | undefined;
  close(): Promise<void>;
};

const MAX_REQUEST_BODY = 1024 * 1024;
/** Hop-by-hop headers (RFC 9110, 7.6.1), and `host`, which the client sets. */
const NOT_FORWARDED = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const forwardedHeaders = (headers: IncomingMessage['headers'] | Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined || NOT_FORWARDED.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_REQUEST_BODY) throw new AppError('download_failed', 'The request is too large.');
    chunks.push(chunk);
  }
  return size === 0 ? undefined : Buffer.concat(chunks);
};

const METHODS = ['GET', 'HEAD', 'POST'] as const;

class LoopbackProxy implements GuardedProxy {
  readonly #options: GuardedProxyOptions;
  readonly #authorization = `Basic ${Buffer.from(`earshot:${newToken(24)}`).toString('base64')}`;
  readonly #server = createServer((request, response) => {
    this.#forward(request, response).catch((error: unknown) => this.#refuse(error, response));
  });
  readonly #tunnels = new Set<Socket>();
  #bytes = 0;
  #failure: AppError | undefined;
  url = '';

  constructor(options: GuardedProxyOptions) {
    this.#options = options;
    this.#server.on('connect', (request, socket: Socket, head) => {
      // A client that disconnects early is no failure.
      socket.on('error', () => socket.destroy());
      this.#tunnel(request, socket, head).catch((error: unknown) => {
        this.#recordFailure(error);
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      });
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') {
      throw new AppError('internal_error', 'The way out for another program got no port.');
    }
    const credentials = Buffer.from(this.#authorization.slice('Basic '.length), 'base64').toString();
    this.url = `http://${credentials}@127.0.0.1:${address.port}`;
  }

  bytes(): number {
    return this.#bytes;
  }

  failure(): AppError | undefined {
    return this.#failure;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#tunnels) socket.destroy();
    await closed;
  }

  /** Keeps out other programs of this machine that find the port. */
  #isAuthorized(request: IncomingMessage): boolean {
    return isSameSecret(request.headers['proxy-authorization'] ?? '', this.#authorization);
  }

  #recordFailure(error: unknown): void {
    if (isAppError(error)) this.#failure ??= error;
  }

  #refuse(error: unknown, response: ServerResponse): void {
    this.#recordFailure(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { connection: 'close' }).end();
  }

  #count(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#options.onBytes();
    if (this.#bytes <= this.#options.maxBytes) return;
    const limit = formatBytes(this.#options.maxBytes);
    this.#options.onExceeded(
      new AppError('download_too_large', `The recording is larger than the limit of ${limit}.`),
    );
  }

  /** Forwards a plain HTTP request. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = METHODS.find((known) => known === request.method);
    if (!this.#isAuthorized(request) || method === undefined) {
      response.writeHead(method === undefined ? 405 : 407).end();
      return;
    }
    const { client, purpose, stallSeconds, signal } = this.#options;
    const body = await readBody(request);
    const upstream = await client.open({
      url: request.url ?? '',
      method,
      headers: forwardedHeaders(request.headers),
      purpose,
      stallSeconds,
      signal,
      maxRedirects: 0,
      ...(body === undefined ? {} : { body }),
    });
    upstream.body.on('data', (chunk: Buffer) => this.#count(chunk));
    response.writeHead(upstream.status, forwardedHeaders(upstream.headers));
    await pipeline(upstream.body, response);
  }

  /** Tunnels a connection whose TLS runs end to end. `head` is what the client sent right behind its request. */
  async #tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const authority = `https://${request.url ?? ''}`;
    if (!this.#isAuthorized(request) || !URL.canParse(authority)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    // The URL parser normalizes every notation of an address; that form is what the guard checks.
    const { hostname, port } = new URL(authority);
    const { client, purpose, signal } = this.#options;
    const remote = await client.tunnel({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? 443 : Number(port),
      purpose,
      signal,
    });
    this.#tunnels.add(remote);
    remote.once('close', () => {
      this.#tunnels.delete(remote);
      socket.destroy();
    });
    remote.on('error', () => remote.destroy());
    socket.once('close', () => remote.destroy());
    remote.on('data', (chunk: Buffer) => this.#count(chunk));
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    remote.pipe(socket);
    if (head.length > 0) socket.unshift(head);
    socket.pipe(remote);
  }
}

/**
 * Opens a forward proxy on a loopback port for another program. Our HTTP client resolves the names and makes each
 * connection, so that the address rule, offline mode, the connection log and a byte limit apply to that program, too.
 */
export const openGuardedProxy = async (options: GuardedProxyOptions): Promise<GuardedProxy> => {
  const proxy = new LoopbackProxy(options);
  await proxy.listen();
  return proxy;
};
