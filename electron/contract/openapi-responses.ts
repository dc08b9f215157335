import { ERROR_MEANING, ERROR_STATUS, ErrorBody, type ErrorCode } from './errors.ts';
import type { Example } from './examples/index.ts';
import { OpenAiError } from './openai.ts';
import { BINARY, type Json, type Schemas } from './openapi-schemas.ts';
import type { Access, Route } from './route.ts';

const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'origin_not_allowed',
  'misdirected_request',
  'rate_limited',
  'internal_error',
  'library_damaged',
  'shutting_down',
];

/** Codes of every operation with this kind of access. */
const BY_ACCESS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [],
  key: ['unauthorized'],
  owner: ['unauthorized', 'forbidden'],
  own: [],
};

const BODY_ERRORS: readonly ErrorCode[] = ['request_too_large', 'unsupported_media_type'];

/** Every error code an operation may answer with, without duplicates. */
export const errorCodesOf = (route: Route): ErrorCode[] => [
  ...new Set([
    ...ALWAYS,
    ...BY_ACCESS[route.access],
    // The server parses a body even if the operation needs none.
    ...(route.method === 'GET' ? [] : BODY_ERRORS),
    ...(route.ranges === true ? (['range_not_satisfiable'] as const) : []),
    ...route.errors,
  ]),
];

export const exampleOf = (value: unknown): Json => (value === undefined ? {} : { example: value });

const header = (description: string, required = true): Json => ({
  description,
  required,
  schema: { type: 'string' },
});

/** Headers of answers, named once for the whole document. */
export const HEADERS = {
  'X-Request-Id': header('The request’s id, also used in the log.'),
  'Earshot-Version': header('The version of the server.'),
  Location: header('The address of the transcription.'),
  ETag: header('Changes with the bytes.'),
  'Last-Modified': header('An HTTP date.'),
  'Accept-Ranges': header('`bytes`'),
  'Cache-Control': header('How long the answer may be cached.'),
  'Content-Disposition': header('The name to save the file under.'),
  'Content-Range': header('The position of the bytes; absent for multiple ranges.', false),
  'Preference-Applied': header('`return=minimal` if the answer says only what changed.', false),
  'WWW-Authenticate': header('`Bearer`'),
  'Retry-After': header('Seconds to wait.'),
} satisfies Json;

type HeaderName = keyof typeof HEADERS;

const headersOf = (...names: readonly HeaderName[]): Json =>
  Object.fromEntries(
    (['X-Request-Id', 'Earshot-Version', ...names] as const).map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const successHeaders = (route: Route, status: string): Json => {
  const names: HeaderName[] = route.located === true ? ['Location'] : [];
  if (route.minimal !== undefined) names.push('Preference-Applied');
  if (route.ranges === true) names.push('ETag', 'Last-Modified', 'Accept-Ranges', 'Cache-Control');
  if (route.ranges === true && status !== '304') names.push('Content-Disposition');
  if (status === '206') names.push('Content-Range');
  return headersOf(...names);
};

const ERROR_HEADERS: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  416: 'Content-Range',
  429: 'Retry-After',
};

const SUCCESS: Readonly<Record<string, string>> = {
  101: 'The connection becomes a WebSocket.',
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work continues.',
  206: 'The requested ranges.',
  304: 'Not modified.',
};

export const successesOf = (schemas: Schemas, route: Route, example: Example): Json => {
  const content: Record<string, Json> = {};
  for (const [status, schema] of Object.entries(route.responses)) {
    content[status] = {
      'application/json': {
        schema:
          route.minimal === undefined || status !== '200'
            ? schemas.of(schema, 'output')
            : { anyOf: [schema, route.minimal].map((each) => schemas.of(each, 'output')) },
        ...exampleOf(example.answers?.[Number(status)]),
      },
    };
  }
  for (const [status, types] of Object.entries(route.raw ?? {})) {
    const raw = types.map((type) => [
      type,
      { schema: type.startsWith('text/') ? { type: 'string' } : BINARY, ...exampleOf(example.texts?.[type]) },
    ]);
    content[status] = { ...content[status], ...Object.fromEntries(raw) };
  }
  return Object.fromEntries(
    Object.entries(content).map(([status, media]) => [
      status,
      {
        description: SUCCESS[status] ?? 'Success.',
        headers: successHeaders(route, status),
        ...(Object.keys(media).length === 0 ? {} : { content: media }),
      },
    ]),
  );
};

const errorSchemaOf = (schemas: Schemas, route: Route, codes: readonly ErrorCode[]): Json =>
  route.errorForm === 'openai'
    ? schemas.of(OpenAiError, 'output')
    : {
        allOf: [
          schemas.of(ErrorBody, 'output'),
          { type: 'object', properties: { code: { type: 'string', enum: codes } } },
        ],
      };

/** An error response, shared by all operations with the same set of codes. */
const errorOf = (schemas: Schemas, route: Route, status: number, codes: readonly ErrorCode[]): Json => {
  const extra = ERROR_HEADERS[status];
  const name = [...(route.errorForm === undefined ? [] : [route.errorForm]), ...codes].join('.');
  return schemas.response(name, {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join(' '),
    headers: extra === undefined ? headersOf() : headersOf(extra),
    content: { 'application/json': { schema: errorSchemaOf(schemas, route, codes) } },
  });
};

export const errorsOf = (schemas: Schemas, route: Route): Json => {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, errorOf(schemas, route, status, codes)]),
  );
};
