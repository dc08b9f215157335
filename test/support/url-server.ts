import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

export type Behavior = (request: IncomingMessage, response: ServerResponse) => void;

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
};

export type FileOptions = {
  readonly type?: string;
  /** Whether Range is honored; default true. */
  readonly ranges?: boolean;
  /** Default: derived from the length; null sends none. */
  readonly etag?: string | null;
  readonly lastModified?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Resets the connection after this many bytes of each answer. */
  readonly cutEvery?: number;
  /** A false Content-Length. */
  readonly announcedLength?: number;
  /** Answers a Range request with 206, but from the start of the file. */
  readonly wrongRange?: boolean;
  /** Compresses the file, whatever the request accepts. */
  readonly gzip?: boolean;
  /** Called at each request with its number, from 1. */
  readonly onRequest?: (count: number) => void;
};

const parseRange = (header: string | undefined, size: number): { first: number; last: number } | null => {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (match === null) return null;
  const first = Number(match[1]);
  return { first, last: match[2] === '' ? size - 1 : Math.min(size - 1, Number(match[2])) };
};

const defaultEtag = (body: Buffer): string => `"${body.length.toString(16)}"`;

/** Serves a file as configured. A function as `body` makes a file that changes. */
export const file = (body: Buffer | (() => Buffer), options: FileOptions = {}): Behavior => {
  let count = 0;
  return (request, response) => {
    options.onRequest?.(++count);
    const bytes = typeof body === 'function' ? body() : body;
    const whole = options.gzip === true ? gzipSync(bytes) : bytes;
    const etag = options.etag === undefined ? defaultEtag(bytes) : options.etag;
    const headers: Record<string, string> = {
      'content-type': options.type ?? 'application/octet-stream',
      ...(etag === null ? {} : { etag }),
      ...(options.lastModified === undefined ? {} : { 'last-modified': options.lastModified }),
      ...(options.gzip === true ? { 'content-encoding': 'gzip' } : {}),
      ...options.headers,
    };
    const ifRange = request.headers['if-range'];
    const fresh = ifRange === undefined || ifRange === etag || ifRange === options.lastModified;
    const asked = options.ranges === false || !fresh ? null : parseRange(request.headers.range, whole.length);
    if (asked !== null && asked.first >= whole.length) {
      response.writeHead(416, { 'content-range': `bytes */${whole.length}` }).end();
      return;
    }
    const { first, last } =
      asked === null || options.wrongRange === true ? { first: 0, last: whole.length - 1 } : asked;
    const part = whole.subarray(first, last + 1);
    response.writeHead(asked === null ? 200 : 206, {
      ...headers,
      'content-length': String(options.announcedLength ?? part.length),
      ...(asked === null ? {} : { 'content-range': `bytes ${first}-${last}/${whole.length}` }),
    });
    const limit = Math.min(part.length, options.cutEvery ?? part.length);
    if (limit === part.length && options.announcedLength === undefined) response.end(part);
    else response.write(part.subarray(0, limit), () => setTimeout(() => response.destroy(), 20));
  };
};

/** Answers with a status and a small HTML page. */
export const status = (code: number, headers: Readonly<Record<string, string>> = {}): Behavior => {
  return (_request, response) => {
    response
      .writeHead(code, { 'content-type': 'text/html', ...headers })
      .end(`<html><body>${code}</body></html>`);
  };
};

export const htmlPage: Behavior = (_request, response) => {
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><html><head><title>Log in</title></head><body>Please log in.</body></html>');
};

/** Sends the first `after` bytes of an answer, then nothing more; with 0, not even the headers. */
export const stall = (body: Buffer, after: number): Behavior => {
  return (_request, response) => {
    if (after === 0) return;
    response.writeHead(200, { 'content-length': String(body.length) });
    response.write(body.subarray(0, after));
  };
};

/** Sends a byte of an answer now and then. */
export const drip = (body: Buffer, everyMs = 50): Behavior => {
  return (request, response) => {
    const range = parseRange(request.headers.range, body.length);
    const { first, last } = range ?? { first: 0, last: body.length - 1 };
    response.writeHead(range === null ? 200 : 206, {
      'content-length': String(last - first + 1),
      etag: defaultEtag(body),
      ...(range === null ? {} : { 'content-range': `bytes ${first}-${last}/${body.length}` }),
    });
    let position = first;
    const timer = setInterval(() => {
      response.write(body.subarray(position, position + 1));
      position += 1;
    }, everyMs);
    response.on('close', () => clearInterval(timer));
  };
};

/** Sends bytes until the client disconnects. */
export const endless = (chunk: Buffer = Buffer.alloc(64 * 1024, 1)): Behavior => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    const send = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', send);
    };
    send();
  };
};

export const redirect = (location: string, code = 302): Behavior => {
  return (_request, response) => {
    response.writeHead(code, { location }).end();
  };
};

/** Answers with something other than HTTP. */
export const garbage: Behavior = (request) => {
  request.socket.end('SSH-2.0-OpenSSH_9.2\r\n');
};

/** Answers with these bytes and ends the connection; text is written as UTF-8. */
export const raw = (...parts: (string | Buffer)[]): Behavior => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return (request) => request.socket.end(bytes);
};

export type UrlServer = {
  readonly port: number;
  /** `http://127.0.0.1:<port><path>` */
  url(path: string): string;
  /** Sets how a path answers from now on, and returns its URL. Other paths answer with 404. */
  set(path: string, behaviour: Behavior): string;
  readonly requests: SeenRequest[];
  /** Bytes sent since the start, headers included. */
  bytesSent(): number;
  close(): Promise<void>;
};

/** Starts a local HTTP server whose paths behave as set. */
export const startUrlServer = async (): Promise<UrlServer> => {
  const routes = new Map<string, Behavior>();
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    requests.push({ method: request.method ?? 'GET', path, headers: request.headers });
    (routes.get(path) ?? status(404))(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      closedBytes += socket.bytesWritten;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server got no port');
  const url = (path: string): string => `http://127.0.0.1:${address.port}${path}`;
  return {
    port: address.port,
    url,
    set: (path, behaviour) => {
      routes.set(path, behaviour);
      return url(path);
    },
    requests,
    bytesSent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, closedBytes),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
