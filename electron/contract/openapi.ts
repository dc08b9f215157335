import { z } from 'zod';
import { ErrorBody } from './errors.ts';
import { type Example, examples } from './examples/index.ts';
import { errorsOf, exampleOf, HEADERS, successesOf } from './openapi-responses.ts';
import { BINARY, type Field, fieldsOf, type Json, Schemas } from './openapi-schemas.ts';
import type { Route, Tag } from './route.ts';

/** The introduction of the document, as Markdown. */
const INTRODUCTION = [
  'Speech to text, and storage for its files, on your own machine. Start with [the guide](/docs/guide).',
  '**Keys.** Send `Authorization: Bearer <key>` with every request except health, signed addresses and public files. ' +
    'Create a key with `earshot keys create` or in the window under API.',
  '**Bodies.** JSON in UTF-8. An unknown field or query parameter is a 400, so that a typo is never ignored. ' +
    'Times are ISO 8601 in UTC with milliseconds; positions and durations are seconds.',
  '**Errors.** `{"success": false, "error": "A sentence.", "code": "transcript_not_found", "request_id": "…"}`, with ' +
    '`details` if single fields are at fault. Branch on `code`; each operation lists its own. ' +
    'The OpenAI-compatible operations answer errors in OpenAI’s shape.',
  '**Limits.** Answers carry `RateLimit-*`; a 429 has the seconds to wait in `Retry-After`. Each limit is a setting.',
  '**Examples.** The examples work if you replace their ids with yours.',
].join('\n\n');

/** Descriptions of the tags, in the order of the documentation. */
const TAG_MEANING: Readonly<Record<Tag, string>> = {
  Transcripts: 'Create, read, search, correct, export and delete transcriptions; the queue and webhooks.',
  Live: 'Text while somebody speaks, over a WebSocket. `/asyncapi.json` describes its messages.',
  Storage: 'Files: upload, presigned addresses, download with ranges, metadata, CORS.',
  Account: 'Keys, users, usage and settings.',
  Models: 'The speech models of this machine.',
  System: 'Health, events, and logs of requests and connections.',
  OpenAI: 'The audio endpoints of OpenAI’s API. Its clients work with this server’s base URL and key.',
  AssemblyAI:
    'The pre-recorded part of AssemblyAI’s API, and Universal Streaming. Its clients work with this server’s base URL and key.',
  'Whisper servers':
    'The forms of whisper.cpp’s server and of whisper-asr-webservice, for programs that know these. They need a key, unless ' +
    'the setting `network.keylessPrograms` lets programs on this computer connect without one.',
};

export { errorCodesOf } from './openapi-responses.ts';

const RANGE_HEADERS = z.object({
  range: z.string().optional().describe('One or more ranges, such as `bytes=0-1023`.'),
  'if-range': z.string().optional().describe('Apply `Range` only if the file has this `ETag` or date.'),
  'if-none-match': z.string().optional().describe('304 if the `ETag` is one of these.'),
  'if-modified-since': z.string().optional().describe('304 if the file is not newer.'),
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

/** The name of a form's field as it is sent: lists are sent as `name[]`. */
const sentName = ({ name, schema }: Field): string => (schema.type === 'array' ? `${name}[]` : name);

/** A field of a form that may be an object is sent as text: as JSON, then. */
const sentSchema = ({ description, ...schema }: Json): Json =>
  JSON.stringify(schema.anyOf ?? '').includes('"type":"object"')
    ? { type: 'string', description: [description, 'An object is sent as JSON.'].join(' ').trim() }
    : { ...schema, ...(description === undefined ? {} : { description }) };

/** The schema of a multipart form: the file and its other fields. */
const formOf = (schemas: Schemas, { form, fileField = 'file' }: Route): Json => {
  const fields = fieldsOf(schemas, form);
  const isOpen = form !== undefined && schemas.of(form, 'input').additionalProperties !== false;
  return {
    type: 'object',
    properties: {
      [fileField]: { ...BINARY, description: 'The file, with its name; at most 1 GB.' },
      ...Object.fromEntries(fields.map((field) => [sentName(field), sentSchema(field.schema)])),
    },
    required: [fileField, ...fields.filter(({ required }) => required).map(sentName)],
    additionalProperties: isOpen,
  };
};

/** The example of a form, whose texts are the values that they stand for. */
const formExample = (schemas: Schemas, { form, fileField = 'file' }: Route, example: Example): Json => {
  const fields = new Map(fieldsOf(schemas, form).map((field) => [sentName(field), field.schema.type]));
  const fieldValue = (name: string, text: string): unknown => {
    if (fields.get(name) === 'array') return [text];
    return fields.get(name) === 'boolean' ? text === 'true' : text;
  };
  const values = Object.entries(example.form ?? {}).map(([name, text]) => [name, fieldValue(name, text)]);
  return { [fileField]: 'talk.mp3', ...Object.fromEntries(values) };
};

const requestBodyOf = (schemas: Schemas, route: Route, example: Example): Json => {
  const content = (media: string, schema: Json, shown: unknown = example.body) => ({
    requestBody: { required: true, content: { [media]: { schema, ...exampleOf(shown) } } },
  });
  if (route.bodyType === 'multipart') {
    return content('multipart/form-data', formOf(schemas, route), formExample(schemas, route, example));
  }
  if (route.bodyType === 'binary') return content('*/*', BINARY);
  return route.body === undefined ? {} : content('application/json', schemas.of(route.body, 'input'));
};

const KEY = { key: [] };

const securityOf = (route: Route): Json[] => {
  if (route.access === 'none') return [];
  if (route.access === 'own') return [{}, KEY];
  return route.bareKey === true ? [KEY, { bareKey: [] }] : [KEY];
};

const descriptionOf = ({ access, description, summary }: Route): Json => {
  const parts = [description ?? `${summary}.`, access === 'owner' ? 'Needs a key of the owner.' : undefined];
  return { description: parts.filter((part) => part !== undefined).join(' ') };
};

const operationOf = (schemas: Schemas, operationId: string, route: Route, example: Example): Json => ({
  operationId,
  tags: [route.tag],
  summary: route.summary,
  ...descriptionOf(route),
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
      description: INTRODUCTION,
      contact: { name: 'The maintainers of Earshot' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: Object.entries(TAG_MEANING).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `ek_…`' },
        bareKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The API key without `Bearer`, as AssemblyAI’s clients send it.',
        },
      },
      schemas: schemas.components,
      headers: HEADERS,
      responses: schemas.responses,
    },
    paths,
  };
};

/**
 * The document as it is committed: an operation and a schema per line, so that a change shows where it is and the file is hardly
 * larger than it must be.
 */
export const formatDocument = (document: Json): string => {
  const lines = (value: unknown, depth: number): string => {
    if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
      return JSON.stringify(value);
    }
    const entries = Object.entries(value).map(
      ([name, inner]) => `${JSON.stringify(name)}:${lines(inner, depth - 1)}`,
    );
    return `{\n${entries.join(',\n')}\n}`;
  };
  return `${lines(document, 3)}\n`;
};
