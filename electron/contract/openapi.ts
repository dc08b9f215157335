import { z } from 'zod';
import { OpenAiError } from './compat/openai.ts';
import { ERROR_MEANING, ERROR_STATUS, ErrorBody, type ErrorCode } from './errors.ts';
import { type Example, examples } from './examples/index.ts';
import { type Field, fieldsOf, type Json, Schemas } from './openapi-schemas.ts';
import type { Access, Route } from './route.ts';

const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'origin_not_allowed',
  'misdirected_request',
  'rate_limited',
  'internal_error',
  'shutting_down',
];

/** Codes that any operation with this kind of access can answer with. */
const BY_ACCESS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [],
  key: ['unauthorized'],
  owner: ['unauthorized', 'forbidden'],
  own: [],
};

const BODY_ERRORS: readonly ErrorCode[] = ['request_too_large', 'unsupported_media_type'];

/** Every error code an operation may answer with, without doubles. */
export const errorCodesOf = (route: Route): ErrorCode[] => [
  ...new Set([
    ...ALWAYS,
    ...BY_ACCESS[route.access],
    // A body is looked at wherever one may be sent, also where none is needed.
    ...(route.method === 'GET' ? [] : BODY_ERRORS),
    ...(route.ranges === true ? (['range_not_satisfiable'] as const) : []),
    ...route.errors,
  ]),
];

const RANGE_HEADERS = z.object({
  range: z.string().optional().describe('One or more parts, as in `bytes=0-1023`.'),
  'if-range': z.string().optional().describe('Parts only while the file has this `ETag` or date.'),
  'if-none-match': z.string().optional().describe('304 where the `ETag` is one of these.'),
  'if-modified-since': z.string().optional().describe('304 where the file is not newer.'),
});

/** `if-range` → `If-Range`. */
const headerName = (name: string): string => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

type Place = 'path' | 'query' | 'header';

const fieldsOfExample = (example: Example, place: Place): Json => {
  if (place === 'path') return { ...example.params };
  const fields = place === 'query' ? example.query : example.headers;
  return typeof fields === 'object' && fields !== null ? Object.fromEntries(Object.entries(fields)) : {};
};

const parameterOf = (place: Place, { name, required, schema }: Field, given: Json): Json => {
  const { description, ...rest } = schema;
  const named = place === 'header' ? headerName(name) : name;
  return {
    name: named,
    in: place,
    required: place === 'path' || required,
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(given[named] === undefined ? {} : { example: given[named] }),
  };
};

/** `?name[key]=value`. */
const mapsOf = (schemas: Schemas, { queryMaps = {} }: Route, given: Json): Json[] =>
  Object.entries(queryMaps).map(([name, schema]) => {
    const pairs = Object.entries(given).flatMap(([field, value]) => {
      const key = field.startsWith(`${name}[`) ? field.slice(name.length + 1, -1) : undefined;
      return key === undefined ? [] : [[key, value]];
    });
    const field = { name, required: false, schema: schemas.of(schema, 'input') };
    return {
      ...parameterOf('query', field, pairs.length === 0 ? {} : { [name]: Object.fromEntries(pairs) }),
      style: 'deepObject',
      explode: true,
    };
  });

const parametersOf = (schemas: Schemas, route: Route, example: Example): Json[] => {
  const inPlace = (place: Place, schema: z.ZodType | undefined) =>
    fieldsOf(schemas, schema).map((field) => parameterOf(place, field, fieldsOfExample(example, place)));
  return [
    ...inPlace('path', route.params),
    ...inPlace('query', route.query),
    ...mapsOf(schemas, route, fieldsOfExample(example, 'query')),
    ...inPlace('header', route.headers),
    ...inPlace('header', route.ranges === true ? RANGE_HEADERS : undefined),
  ];
};

const BINARY = { type: 'string', format: 'binary' };

/** A form: its file, and the fields beside it. Lists are sent as `name[]`. */
const formOf = (schemas: Schemas, route: Route): Json => {
  const fields = fieldsOf(schemas, route.form).map((field) => ({
    ...field,
    name: field.schema.type === 'array' ? `${field.name}[]` : field.name,
  }));
  return {
    type: 'object',
    properties: {
      file: { ...BINARY, description: 'The file, with its name; at most 1 GB.' },
      ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    },
    required: ['file', ...fields.filter(({ required }) => required).map(({ name }) => name)],
    additionalProperties: false,
  };
};

const exampleOf = (value: unknown): Json => (value === undefined ? {} : { example: value });

const requestBodyOf = (schemas: Schemas, route: Route, example: Example): Json => {
  const content = (media: string, schema: Json) => ({
    requestBody: {
      required: true,
      content: { [media]: { schema, ...exampleOf(example.form ?? example.body) } },
    },
  });
  if (route.bodyType === 'multipart') return content('multipart/form-data', formOf(schemas, route));
  if (route.bodyType === 'binary') return content('*/*', BINARY);
  return route.body === undefined ? {} : content('application/json', schemas.of(route.body, 'input'));
};

const header = (description: string, required = true): Json => ({
  description,
  required,
  schema: { type: 'string' },
});

const EVERY_HEADER: Json = {
  'X-Request-Id': header('Names this request, as the log does.'),
  'Earshot-Version': header('The release that answers.'),
};
const FILE_HEADERS: Json = {
  ETag: header('Changes with the bytes.'),
  'Last-Modified': header('An HTTP date.'),
  'Accept-Ranges': header('`bytes`'),
  'Cache-Control': header('How long the answer may be kept.'),
};

const successHeaders = (route: Route, status: string): Json => ({
  ...EVERY_HEADER,
  ...(route.located === true ? { Location: header('The address of the transcription.') } : {}),
  ...(route.ranges === true ? FILE_HEADERS : {}),
  ...(route.ranges === true && status !== '304'
    ? { 'Content-Disposition': header('The name to save the file under.') }
    : {}),
});

const ERROR_HEADERS: Readonly<Record<string, Json>> = {
  401: { 'WWW-Authenticate': header('`Bearer`') },
  416: { 'Content-Range': header('`bytes */` and the size of the file.') },
  429: { 'Retry-After': header('Seconds to wait.') },
};

const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted: it is worked on.',
  206: 'The parts that were asked for.',
  304: 'Not changed since.',
};

const successesOf = (schemas: Schemas, route: Route, example: Example): Json => {
  const content: Record<string, Json> = {};
  for (const [status, schema] of Object.entries(route.responses)) {
    content[status] = {
      'application/json': {
        schema: schemas.of(schema, 'output'),
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
        description: SUCCESS[status] ?? 'Done.',
        headers: successHeaders(route, status),
        ...(Object.keys(media).length === 0 ? {} : { content: media }),
      },
    ]),
  );
};

const errorSchemaOf = (schemas: Schemas, route: Route, codes: readonly ErrorCode[]): Json =>
  route.errorForm === 'openai'
    ? schemas.of(OpenAiError, 'output')
    : { ...schemas.of(ErrorBody, 'output'), properties: { code: { type: 'string', enum: codes } } };

const errorsOf = (schemas: Schemas, route: Route): Json => {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join(' '),
        headers: { ...EVERY_HEADER, ...ERROR_HEADERS[status] },
        content: { 'application/json': { schema: errorSchemaOf(schemas, route, codes) } },
      },
    ]),
  );
};

const KEY = { key: [] };

const securityOf = (route: Route): Json[] => {
  if (route.access === 'none') return [];
  if (route.access === 'own') return [{}, KEY];
  return route.bareKey === true ? [KEY, { bareKey: [] }] : [KEY];
};

const operationOf = (schemas: Schemas, operationId: string, route: Route, example: Example): Json => ({
  operationId,
  tags: [route.tag],
  summary: route.summary,
  ...(route.description === undefined ? {} : { description: route.description }),
  security: securityOf(route),
  parameters: parametersOf(schemas, route, example),
  ...requestBodyOf(schemas, route, example),
  responses: { ...successesOf(schemas, route, example), ...errorsOf(schemas, route) },
});

/** The OpenAPI 3.1 document of a route table, with operation ids as its keys. */
export const openApiDocument = (table: Readonly<Record<string, Route>>, version: string): Json => {
  const schemas = new Schemas();
  schemas.of(ErrorBody, 'output');
  const paths: Record<string, Json> = {};
  for (const [operationId, route] of Object.entries(table)) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(schemas, operationId, route, examples[operationId] ?? {}),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Earshot',
      version,
      description: 'Transcription and storage on your own machine. Where to begin: [the guide](/docs/guide).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `ek_…`' },
        bareKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The API key by itself, as AssemblyAI’s clients send it.',
        },
      },
      schemas: schemas.components,
    },
    paths,
  };
};
