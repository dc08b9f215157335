import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { AppError, isAppError } from '../../base/errors.ts';
import { newToken, sameSecret } from '../../base/ids.ts';
import { formatBytes } from '../../base/numbers.ts';
import type { ConnectionPurpose, HttpClient } from './types.ts';

export type GuardedProxyOptions = {
  readonly client: HttpClient;
  readonly purpose: ConnectionPurpose;
  /** Bytes that may come in through it in all. */
  readonly maxBytes: number;
  readonly stallSeconds: number;
  readonly signal: AbortSignal;
  /** Something came in. */
  readonly onBytes: () => void;
  /** The limit was passed. */
  readonly onExceeded: (error: AppError) => void;
};

/** A way out for another program, as guarded as our own. */
export type GuardedProxy = {
  /** With the login in it: for that program's environment alone. */
  readonly url: string;
  /** Bytes that came in so far. */
  bytes(): number;
  /** Why a connection was refused or failed, the first time it happened. */
  failure(): AppError | undefined;
  close(): Promise<void>;
};

const MAX_REQUEST_BODY = 1024 * 1024;
/** Headers between two neighbours, which are not passed on (RFC 9110, 7.6.1), and the host, which the client sets. */
const NOT_PASSED_ON = new Set([
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

const passedOn = (headers: IncomingMessage['headers'] | Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined || NOT_PASSED_ON.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
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
  readonly #login = `Basic ${Buffer.from(`earshot:${newToken(24)}`).toString('base64')}`;
  readonly #server = createServer((request, response) => {
    this.#pass(request, response).catch((error: unknown) => this.#refuse(error, response));
  });
  readonly #tunnels = new Set<Socket>();
  #bytes = 0;
  #failure: AppError | undefined;
  url = '';

  constructor(options: GuardedProxyOptions) {
    this.#options = options;
    this.#server.on('connect', (request, socket: Socket) => {
      // Whoever leaves in the middle is not missed.
      socket.on('error', () => socket.destroy());
      this.#tunnel(request, socket).catch((error: unknown) => {
        this.#note(error);
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
    const login = Buffer.from(this.#login.slice('Basic '.length), 'base64').toString();
    this.url = `http://${login}@127.0.0.1:${address.port}`;
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

  /** Another program of this machine that finds the port must not use it. */
  #isLetIn(request: IncomingMessage): boolean {
    return sameSecret(request.headers['proxy-authorization'] ?? '', this.#login);
  }

  #note(error: unknown): void {
    if (isAppError(error)) this.#failure ??= error;
  }

  #refuse(error: unknown, response: ServerResponse): void {
    this.#note(error);
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

  /** A plain request. */
  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = METHODS.find((known) => known === request.method);
    if (!this.#isLetIn(request) || method === undefined) {
      response.writeHead(method === undefined ? 405 : 407).end();
      return;
    }
    const { client, purpose, stallSeconds, signal } = this.#options;
    const body = await bodyOf(request);
    const answer = await client.open({
      url: request.url ?? '',
      method,
      headers: passedOn(request.headers),
      purpose,
      stallSeconds,
      signal,
      maxRedirects: 0,
      ...(body === undefined ? {} : { body }),
    });
    answer.body.on('data', (chunk: Buffer) => this.#count(chunk));
    response.writeHead(answer.status, passedOn(answer.headers));
    await pipeline(answer.body, response);
  }

  /** What speaks TLS, end to end with the other side. */
  async #tunnel(request: IncomingMessage, socket: Socket): Promise<void> {
    const authority = `https://${request.url ?? ''}`;
    if (!this.#isLetIn(request) || !URL.canParse(authority)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    // The URL parser gives each odd spelling of an address its one form, which is what is checked.
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
    socket.pipe(remote);
  }
}

/**
 * A forward proxy on a loopback port, through which another program reaches the network: each connection it asks
 * for is made by our own client, so that the address rule, the offline switch, the log and a limit of bytes hold for
 * that program as well. It resolves no name for it either.
 */
export const openGuardedProxy = async (options: GuardedProxyOptions): Promise<GuardedProxy> => {
  const proxy = new LoopbackProxy(options);
  await proxy.listen();
  return proxy;
};
