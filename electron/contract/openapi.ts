import { z } from 'zod';
import { OpenAiError } from './compat/openai.ts';
import { ERROR_STATUS, ErrorBody, type ErrorCode } from './errors.ts';
import type { Access, Route } from './route.ts';

type Json = Record<string, unknown>;

/** Codes that any operation with this kind of access can answer with. */
const COMMON: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [
    'invalid_request',
    'origin_not_allowed',
    'misdirected_request',
    'rate_limited',
    'internal_error',
    'shutting_down',
  ],
  key: [
    'invalid_request',
    'unauthorized',
    'origin_not_allowed',
    'misdirected_request',
    'rate_limited',
    'internal_error',
    'shutting_down',
  ],
  owner: [
    'invalid_request',
    'unauthorized',
    'forbidden',
    'origin_not_allowed',
    'misdirected_request',
    'rate_limited',
    'internal_error',
    'shutting_down',
  ],
  own: [
    'invalid_request',
    'origin_not_allowed',
    'misdirected_request',
    'rate_limited',
    'internal_error',
    'shutting_down',
  ],
};

const BODY_ERRORS: readonly ErrorCode[] = ['request_too_large', 'unsupported_media_type'];

/** Every error code an operation may answer with, without doubles. */
export const errorCodesOf = (route: Route): ErrorCode[] => [
  ...new Set([
    ...COMMON[route.access],
    ...(route.body === undefined && route.bodyType === undefined ? [] : BODY_ERRORS),
    ...route.errors,
  ]),
];

class Schemas {
  readonly components: Json = {};

  /** The JSON Schema of a zod schema; those with an id become shared components. */
  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json & { $defs?: Json };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      this.components[name] = this.#relocated(definition);
    }
    const id = schema.meta()?.id;
    const relocated = this.#relocated(rest);
    if (id === undefined) return relocated;
    // A schema with an id comes as a reference to its own definition, which is among the components by now.
    this.components[id] ??= relocated;
    return { $ref: `#/components/schemas/${id}` };
  }

  #relocated(value: unknown): Json {
    // A JSON round trip of plain JSON Schema; only the texts of `$ref` change.
    return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  }
}

const parametersOf = (schemas: Schemas, schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] => {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: rest,
      ...(description === undefined ? {} : { description }),
    };
  });
};

const requestBodyOf = (schemas: Schemas, route: Route): Json => {
  if (route.body === undefined && route.bodyType === undefined) return {};
  const media =
    route.bodyType === 'multipart'
      ? 'multipart/form-data'
      : route.bodyType === 'binary'
        ? 'application/octet-stream'
        : 'application/json';
  const schema = route.body === undefined ? { type: 'object' } : schemas.of(route.body, 'input');
  const binary = { type: 'string', format: 'binary' };
  return {
    requestBody: {
      required: true,
      content: { [media]: { schema: route.bodyType === 'binary' ? binary : schema } },
    },
  };
};

const errorSchemaOf = (route: Route): z.ZodType => (route.errorForm === 'openai' ? OpenAiError : ErrorBody);

const responsesOf = (schemas: Schemas, route: Route): Json => {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(route.responses)) {
    responses[status] = {
      description: 'Success',
      content: { 'application/json': { schema: schemas.of(schema, 'output') } },
    };
  }
  for (const [status, types] of Object.entries(route.raw ?? {})) {
    responses[status] = {
      description: 'Success',
      content: Object.fromEntries(
        types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
      ),
    };
  }
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERROR_STATUS[code]);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: { 'application/json': { schema: schemas.of(errorSchemaOf(route), 'output') } },
    };
  }
  return responses;
};

/** The OpenAPI 3.1 document of a route table, with operation ids as its keys. */
export const openApiDocument = (table: Readonly<Record<string, Route>>, version: string): Json => {
  const schemas = new Schemas();
  schemas.of(ErrorBody, 'output');
  const paths: Record<string, Json> = {};
  for (const [operationId, route] of Object.entries(table)) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = {
      operationId,
      tags: [route.tag],
      summary: route.summary,
      ...(route.description === undefined ? {} : { description: route.description }),
      security: route.access === 'none' ? [] : route.access === 'own' ? [{}, { key: [] }] : [{ key: [] }],
      parameters: [
        ...parametersOf(schemas, route.params, 'path'),
        ...parametersOf(schemas, route.query, 'query'),
      ],
      ...requestBodyOf(schemas, route),
      responses: responsesOf(schemas, route),
    };
    paths[route.path] = path;
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
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: `ek_…`' } },
      schemas: schemas.components,
    },
    paths,
  };
};
