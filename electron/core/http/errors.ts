import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ulid } from 'ulid';
import type { ErrorBody } from '../../contract/errors.ts';
import type { Route } from '../../contract/route.ts';
import { AppError, hasCorruptionCode, hasDiskFullCode, isAppError, systemCode } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { openAiErrorBody } from './openai/errors.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 10_000;

/**
 * Reads and discards the rest of a refused body, and closes the connection if that is more than `MAX_BYTES` or takes
 * longer than `MAX_MS`. Closing at once would reset it, and the sender might never read the answer (nginx, `lingering_close`).
 */
const closeAfterRefusal = (request: FastifyRequest, reply: FastifyReply): void => {
  const { raw } = request;
  if (reply.statusCode < 400) return;
  reply.removeHeader('connection');
  const isRead = () => raw.complete || raw.readableEnded;
  if (isRead()) return;
  reply.raw.once('finish', () => {
    if (isRead()) return;
    let left = MAX_BYTES;
    const close = () => raw.destroy();
    const timer = setTimeout(close, MAX_MS);
    raw.on('data', (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) close();
    });
    raw.once('close', () => clearTimeout(timer));
    raw.once('end', () => clearTimeout(timer));
    raw.resume();
  });
};

const FASTIFY_ERRORS: Readonly<Record<string, readonly [AppError['code'], string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The Content-Type of the request is not supported here.',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: ['request_too_large', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The body does not have the length that Content-Length gives.',
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The request body is not valid JSON.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The address is not valid.'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'A part of the address is too long.'],
};

const isFastifyError = (error: unknown): error is FastifyError =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';

/** Converts anything thrown to an AppError. An unexpected error becomes `internal_error`, without its message. */
export const toAppError = (error: unknown): AppError => {
  if (isAppError(error)) return error;
  if (hasDiskFullCode(error)) {
    return new AppError('disk_full', 'The disk is full. Free some space and try again.', { cause: error });
  }
  if (hasCorruptionCode(error)) {
    return new AppError(
      'library_damaged',
      'The database is damaged. Stop Earshot, then run `earshot doctor`: it says what can be done, and repairs.',
      { cause: error },
    );
  }
  if (isFastifyError(error)) {
    const known = FASTIFY_ERRORS[error.code];
    if (known !== undefined) return new AppError(known[0], known[1], { cause: error });
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500)
      return new AppError('invalid_request', 'The request is not valid.', { cause: error });
  }
  return new AppError('internal_error', 'Something went wrong inside Earshot. The log has the details.', {
    cause: error,
  });
};

const errorBody = (error: AppError, requestId: string): ErrorBody => ({
  success: false,
  error: error.message,
  code: error.code,
  ...(error.details.length > 0 ? { details: error.details } : {}),
  request_id: requestId,
});

/** Headers that describe a file; they must not describe the error that is sent in its place. */
const FILE_HEADERS = [
  'cache-control',
  'etag',
  'last-modified',
  'content-disposition',
  'content-length',
  'accept-ranges',
];

export const sendError = (reply: FastifyReply, error: AppError): FastifyReply => {
  const { request } = reply;
  for (const name of FILE_HEADERS) reply.removeHeader(name);
  for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  reply.code(error.status);
  closeAfterRefusal(request, reply);
  const isOpenAi = request.routeOptions.config?.route?.errorForm === 'openai';
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(isOpenAi ? openAiErrorBody(error) : errorBody(error, request.id)));
};

/** Node's `clientError` handler: answers what its parser refuses, before there is a request. */
export const clientErrorHandler =
  (version: string) =>
  (error: Error, socket: Socket): void => {
    if (systemCode(error) === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const id = ulid();
    const body = JSON.stringify(
      errorBody(new AppError('invalid_request', 'This is no valid HTTP request.'), id),
    );
    const head = [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${id}`,
      `Earshot-Version: ${version}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };

const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{fileKey\}$/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);

/** The methods that the route table has for a path. */
const methodsOf = (table: readonly { pattern: RegExp; method: string }[], path: string): string[] => [
  ...new Set(table.filter((entry) => entry.pattern.test(path)).map((entry) => entry.method)),
];

/** Sends every error in the form of the API, and 405 with `Allow` for a known path with another method. */
export const addErrorHandlers = (server: FastifyInstance, routes: readonly Route[], logger: Logger): void => {
  const table = routes.map(({ path, method }) => ({ pattern: pathPattern(path), method }));

  server.setErrorHandler((thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = toAppError(thrown);
    if (error.status >= 500) {
      const cause = error.cause ?? error;
      logger.error(
        { request: request.id, code: error.code, stack: cause instanceof Error ? cause.stack : undefined },
        'A request failed',
      );
    }
    return sendError(reply, error);
  });

  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const allowed = methodsOf(table, path);
    if (allowed.length === 0) {
      return sendError(
        reply,
        new AppError('route_not_found', `There is nothing at ${request.method} ${path}.`),
      );
    }
    const allow = allowed.join(', ');
    const error = new AppError('method_not_allowed', `${request.method} is not allowed here; ${allow} is.`, {
      headers: { allow },
    });
    return sendError(reply, error);
  });
};
