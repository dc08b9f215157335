import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ulid } from 'ulid';
import { MAX_MESSAGE_BYTES } from '../../contract/realtime.ts';
import type { Route } from '../../contract/route.ts';
import { routes } from '../../contract/routes.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, systemCode } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { AccountService } from '../services/accounts.ts';
import type { SettingsService } from '../services/settings.ts';
import { checkFieldsOf } from './add-route.ts';
import { addGuidePage } from './docs/guide.ts';
import { addReferencePage } from './docs/reference.ts';
import { addErrorHandlers, clientErrorHandler, sendError, toAppError } from './errors.ts';
import { addGuards, type WrongKeys } from './guards.ts';
import { addRateLimits } from './limits.ts';
import { addRequestLog, type RequestLog } from './responses.ts';
import type { BucketCors } from './v1/storage.ts';

type BodyRate = {
  readonly bytesPerSecond: number;
  readonly overSeconds: number;
};

/** Far below any connection that can upload a recording, and enough that a body of a few bytes cannot be held open. */
const MIN_BODY_RATE: BodyRate = { bytesPerSecond: 1024, overSeconds: 60 };
/** A timer this late means that the machine was suspended, not that the sender was slow. */
const SUSPENDED_MS = 10_000;

/**
 * Closes connections whose request body arrives below the rate. There is no limit on the whole time, since an upload may
 * be as long as its file. Bytes that wait to be read are the fault of a slow disk here, and do not count as slow.
 */
export const closeSlowBodies = (server: FastifyInstance, rate: BodyRate = MIN_BODY_RATE): void => {
  const windowMs = rate.overSeconds * 1000;
  server.addHook('onRequest', async ({ raw }) => {
    let startedAt = Date.now();
    let bytesBefore = raw.socket.bytesRead;
    const timer = setInterval(() => {
      // Received, but not read: a request without a body never ends as a stream.
      if (raw.complete) return clearInterval(timer);
      const wasSuspended = Date.now() - startedAt > windowMs + SUSPENDED_MS;
      const isReaderBehind = raw.readableLength > 0;
      const bytes = raw.socket.bytesRead - bytesBefore;
      if (!wasSuspended && !isReaderBehind && bytes < rate.bytesPerSecond * rate.overSeconds) {
        raw.socket.destroy();
      }
      startedAt = Date.now();
      bytesBefore = raw.socket.bytesRead;
    }, windowMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    raw.once('end', stop);
    raw.once('close', stop);
  });
};

const WINDOW_CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Longer frames are refused before they are read; shorter ones that are too long get a sentence. */
const MAX_FRAME_BYTES = 16 * MAX_MESSAGE_BYTES;

export type ServerOptions = {
  readonly wrongKeys: WrongKeys;
  readonly accounts: AccountService;
  readonly settings: SettingsService;
  readonly requestLog: RequestLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly host: string;
  readonly localKeyHash: string;
  /** The built window, served at `/`; it may be missing. */
  readonly rendererDir: string;
  /** The folder with the guide's source. */
  readonly resourcesDir: string;
  readonly isShuttingDown: () => boolean;
  readonly bucket: BucketCors;
};

const table: Readonly<Record<string, Route>> = routes;

/** Serves the built window at `/`, if it is built. */
export const addWindow = async (server: FastifyInstance, directory: string): Promise<void> => {
  if (!existsSync(join(directory, 'index.html'))) return;
  const shared: FastifyStaticOptions = {
    root: directory,
    cacheControl: false,
    // The build writes each text file also as Brotli and gzip.
    preCompressed: true,
    setHeaders: (reply, path) => {
      const isHashed = path.includes(`${join('assets', '')}`);
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('content-security-policy', WINDOW_CSP);
      reply.header('referrer-policy', 'no-referrer');
    },
  };
  // A route for each of the files that are not in assets, and one for all that are: three hundred took a tenth of the start.
  await server.register(fastifyStatic, {
    ...shared,
    prefix: '/',
    index: ['index.html'],
    wildcard: false,
    globIgnore: ['assets/**', '**/*.{br,gz}'],
  });
  const assets = join(directory, 'assets');
  if (!existsSync(assets)) return;
  await server.register(fastifyStatic, {
    ...shared,
    root: assets,
    prefix: '/assets/',
    index: false,
    decorateReply: false,
  });
};

/**
 * Many HTTP clients send `Content-Type: application/json` with every request, also with those that have no body. A body of too
 * many fields is refused before it is parsed.
 */
const addJsonParser = (server: FastifyInstance): void => {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      checkFieldsOf(body);
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)));
    }
    // The parser is typed for any request, this hook for requests with the default generics.
    parse(request as FastifyRequest, body, done);
  });
};

/** Creates the HTTP server with all that every route shares. The caller adds the routes. */
export const createServer = async (options: ServerOptions): Promise<FastifyInstance> => {
  const addCommonHeaders = (reply: FastifyReply): void => {
    reply.header('x-request-id', reply.request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('earshot-version', options.version);
  };
  const server = Fastify({
    logger: false,
    bodyLimit: 1024 * 1024,
    genReqId: () => ulid(),
    requestIdHeader: false,
    forceCloseConnections: true,
    // Others ask for HTTP/2 with every request, and are answered as if they had not.
    http: { shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket' },
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: true },
    // An upload takes as long as it takes: closeSlowBodies limits the rate instead.
    requestTimeout: 0,
    // A URL that cannot be decoded reaches no hook.
    frameworkErrors: (error, _request, reply) => {
      addCommonHeaders(reply);
      sendError(reply, toAppError(error));
    },
    clientErrorHandler: clientErrorHandler(options.version),
  });
  // No route takes plain text. Without this, such a body would be refused as JSON of the wrong shape.
  server.removeContentTypeParser('text/plain');
  addJsonParser(server);
  // Before the guards: it closes the connections of those that they refuse.
  await server.register(websocket, {
    options: { maxPayload: MAX_FRAME_BYTES },
    // A broken frame has begun a close with its own code.
    errorHandler: (_error, socket) => socket.close(),
  });
  server.addHook('onRequest', async (_request, reply) => {
    addCommonHeaders(reply);
    if (options.isShuttingDown()) {
      throw new AppError('shutting_down', 'Earshot is shutting down.', { headers: { connection: 'close' } });
    }
  });
  closeSlowBodies(server);
  addErrorHandlers(server, Object.values(table), options.logger);
  addGuards(server, {
    accounts: options.accounts,
    wrongKeys: options.wrongKeys,
    settings: options.settings,
    boundHost: options.host,
    bucket: options.bucket,
  });
  await addRateLimits(server, options);
  addRequestLog(server, options.requestLog, options.clock);
  // Built on the first request: it would take a third of the start's time.
  let document: Promise<string> | undefined;
  server.get('/openapi.json', async (_request, reply) => {
    document ??= import('../../contract/openapi.ts').then(({ openApiDocument }) =>
      JSON.stringify(openApiDocument(table, options.version)),
    );
    return reply.type('application/json; charset=utf-8').send(await document);
  });
  server.get('/asyncapi.json', async (_request, reply) => {
    const { asyncApiDocument } = await import('../../contract/asyncapi.ts');
    return reply
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(asyncApiDocument(options.version)));
  });
  await addReferencePage(server, options.resourcesDir);
  await addGuidePage(server, options.resourcesDir, options.rendererDir);
  await addWindow(server, options.rendererDir);
  return server;
};

/** `whenTaken`: whether to try the next ports when this one is in use. */
type ListenOptions = { readonly host: string; readonly port: number; readonly whenTaken: 'next' | 'fail' };

/** Binds the server and returns its URL. Throws `conflict` when the port, or the last one to try, is in use. */
export const listen = async (server: FastifyInstance, config: ListenOptions): Promise<string> => {
  const last = config.whenTaken === 'next' && config.port !== 0 ? config.port + 20 : config.port;
  for (let port = config.port; ; port++) {
    try {
      await server.listen({ host: config.host, port });
      const address = server.server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const name = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
      return `http://${name.includes(':') ? `[${name}]` : name}:${bound}`;
    } catch (error) {
      if (systemCode(error) !== 'EADDRINUSE') throw error;
      if (port >= last) {
        throw new AppError(
          'conflict',
          `Port ${port} is taken by another program. Choose another with --port.`,
          { cause: error },
        );
      }
    }
  }
};
