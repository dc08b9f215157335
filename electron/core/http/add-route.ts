import '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { ErrorDetail } from '../../contract/errors.ts';
import type { Route, RouteBody, RouteHeaders, RouteParams, RouteQuery } from '../../contract/route.ts';
import { AppError } from '../base/errors.ts';
import { createYielder, type YieldIfDue } from '../base/event-loop.ts';
import type { Caller } from '../services/accounts.ts';

/** A wrong body can have one for each of its half a million values. */
const MAX_DETAILS = 100;

const UNKNOWN_FIELD = 'is not a known field';

const detailsOf = (issue: z.core.$ZodIssue): ErrorDetail[] => {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_DETAILS)
      .map((key) => ({ path: [...path, key].join('.'), message: UNKNOWN_FIELD }));
  }
  return [{ path: path.join('.'), message: issue.message.replace(/^Invalid input: /, '') }];
};

const firstDetails = ({ issues }: z.ZodError): ErrorDetail[] =>
  issues.slice(0, MAX_DETAILS).flatMap(detailsOf).slice(0, MAX_DETAILS);

const MAX_DEPTH = 100;
/** No part of a request has a tenth of them. Looking each of 90,000 up takes a quarter of a second. */
const MAX_FIELDS = 1000;

const hasTooManyFields = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > MAX_FIELDS;

const tooManyFields = (where: string): AppError =>
  new AppError('invalid_request', `The ${where} has more than ${MAX_FIELDS} fields.`);

const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [34, 92, 58, 91, 93, 123, 125];

/** The place behind a JSON string that begins at `from`. */
const endOfString = (json: string, from: number): number => {
  for (let end = json.indexOf('"', from + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
};

/**
 * Throws `invalid_request` if the text of a JSON object has more fields than any request has. Counts them in the text, because
 * parsing 80,000 fields takes a tenth of a second.
 */
export const checkFieldsOf = (json: string): void => {
  let [depth, fields] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    else if (code === COLON && depth === 1) fields += 1;
    else if (code === OPEN || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) depth -= 1;
    if (fields > MAX_FIELDS) throw tooManyFields('body');
  }
};

/** Checks level by level: recursion over a body of nothing but brackets would exhaust the stack. */
const isTooDeep = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
};

const UNKNOWN_PROTOTYPE: ErrorDetail = { path: '__proto__', message: UNKNOWN_FIELD };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value without the nulls at which a schema found issues; undefined if there are none. */
const withoutNulls = (value: unknown, issues: readonly z.core.$ZodIssue[]): unknown => {
  const copy: unknown = structuredClone(value);
  let hasNulls = false;
  for (const { path } of issues) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>(
        (inner, key) => (Object(inner) === inner ? Reflect.get(Object(inner), key) : undefined),
        copy,
      );
    const key = path.at(-1);
    if (key === undefined || !isObject(parent) || parent[String(key)] !== null) continue;
    delete parent[String(key)];
    hasNulls = true;
  }
  return hasNulls ? copy : undefined;
};

/**
 * Parses with a schema. `null` means "not given" in a field whose schema does not take it: clients in many languages send it
 * for whatever has no value.
 */
const parseTolerant = <T extends z.ZodType>(schema: T, value: unknown) => {
  const result = schema.safeParse(value);
  const rest = result.success ? undefined : withoutNulls(value, result.error.issues);
  return rest === undefined ? result : schema.safeParse(rest);
};

/**
 * Parses a part of a request with its schema. Throws `invalid_request` with the first `MAX_DETAILS` issues in `details`; `where` names the
 * part in the message when an issue concerns all of it.
 */
export const validate = <T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> => {
  if (!Array.isArray(value) && hasTooManyFields(value)) {
    throw tooManyFields(where);
  }
  if (isTooDeep(value)) {
    throw new AppError('invalid_request', `The ${where} nests deeper than ${MAX_DEPTH} levels.`);
  }
  const result = parseTolerant(schema, value);
  // A schema that allows unknown keys would drop this one silently.
  const hasPrototypeKey = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  if (result.success && !hasPrototypeKey) return result.data;
  const details = result.success ? [UNKNOWN_PROTOTYPE] : firstDetails(result.error);
  const first = details[0];
  const name = first === undefined || first.path === '' ? where : first.path;
  const sentence = `The request is not valid: ${name}: ${first?.message ?? 'is not valid'}.`;
  throw new AppError('invalid_request', sentence, { details });
};

/** What a handler gets: the validated input and the caller. */
export type Call<R extends Route> = {
  readonly params: RouteParams<R>;
  readonly query: RouteQuery<R>;
  readonly headers: RouteHeaders<R>;
  readonly body: RouteBody<R>;
  /** Throws `unauthorized` if the route needs no key and the request has none. */
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

type Answers<R extends Route> = {
  [S in keyof R['responses'] & number]: {
    readonly status: S;
    readonly body: z.input<R['responses'][S]>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof R['responses'] & number];

/** An answer with its status; undefined when the handler sent the reply itself. */
export type Answer<R extends Route> = Answers<R> | undefined;

export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer<R>> | Answer<R>;

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
  }
}

/** `/v1/transcript/id/{id}` → `/v1/transcript/id/:id`. A trailing `{fileKey}` matches slashes, too. */
const fastifyPath = (path: string): string =>
  path.replace(/\{fileKey\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');

const NOTHING = z.strictObject({});

const bodyOf = (definition: Route, { body }: FastifyRequest): unknown =>
  // The handler reads bodies that are not JSON.
  (definition.bodyType ?? 'json') === 'json'
    ? validate(definition.body ?? NOTHING, body === undefined ? {} : body, 'body')
    : undefined;

const parse = (schema: z.ZodType | undefined, value: unknown, where: string): unknown =>
  schema === undefined ? undefined : validate(schema, value, where);

const paramsOf = (request: FastifyRequest, path: string): unknown => {
  // Fastify types path parameters by a schema of its own, which these routes do not use.
  const { '*': rest, ...named } = request.params as Record<string, string>;
  return path.endsWith('{fileKey}') ? { ...named, fileKey: rest } : named;
};

/** Validates and serializes an answer; a long one lets other requests in between. */
const answer = async (
  definition: Route,
  reply: FastifyReply,
  result: { status: number; body: unknown },
  yieldIfDue: YieldIfDue,
): Promise<string> => {
  const schema = definition.responses[result.status];
  if (schema === undefined) throw new Error(`No schema for status ${result.status}`);
  reply.code(result.status).type('application/json; charset=utf-8');
  // Parsing drops whatever the schema does not declare, so that a row never leaks.
  const body = schema.parse(result.body);
  await yieldIfDue();
  return JSON.stringify(body);
};

/** Adds one operation of the route table to the server: validates its input, calls the handler, sends the answer. */
export const addRoute = <const R extends Route>(
  server: FastifyInstance,
  definition: R,
  handler: Handler<R>,
): void => {
  server.route({
    method: definition.method,
    url: fastifyPath(definition.path),
    config: { route: definition },
    ...(definition.bodyLimit === undefined ? {} : { bodyLimit: definition.bodyLimit }),
    handler: async (request, reply) => {
      // Each part is the output of the schema from which `Call` derives the part's type.
      const call = {
        params: parse(definition.params, paramsOf(request, definition.path), 'path'),
        // A route without query parameters refuses any, rather than ignoring them silently.
        query: validate(definition.query ?? NOTHING, request.query, 'query'),
        headers: parse(definition.headers, request.headers, 'headers'),
        body: bodyOf(definition, request),
        request,
        reply,
        get caller() {
          if (request.caller === undefined) throw new AppError('unauthorized', 'An API key is needed.');
          return request.caller;
        },
      } as unknown as Call<R>;
      const yieldIfDue = createYielder();
      const result = await handler(call);
      if (result === undefined) return reply;
      for (const [name, value] of Object.entries(result.headers ?? {})) reply.header(name, value);
      await yieldIfDue();
      return answer(definition, reply, result, yieldIfDue);
    },
  });
};

type SocketHandlers<R extends Route> = {
  /** Runs before the upgrade. Throws `unauthorized`; a client that reads no status learns it from `serve` instead, without a caller. */
  readonly authenticate: (request: FastifyRequest, query: RouteQuery<R>) => Caller | undefined;
  readonly serve: (connection: {
    readonly caller: Caller | undefined;
    readonly query: RouteQuery<R>;
    readonly socket: WebSocket;
    readonly request: FastifyRequest;
  }) => void;
};

const notUpgraded = (): never => {
  throw new AppError(
    'invalid_request',
    'This address takes WebSocket connections alone: connect with ws:// or wss://.',
  );
};

/** Adds an operation of the route table that becomes a WebSocket. What is wrong before that is answered over HTTP. */
export const addSocketRoute = <const R extends Route>(
  server: FastifyInstance,
  definition: R,
  { authenticate, serve }: SocketHandlers<R>,
): void => {
  // As in `addRoute`.
  const queryOf = ({ query }: FastifyRequest) =>
    validate(definition.query ?? NOTHING, query, 'query') as RouteQuery<R>;
  server.route({
    method: 'GET',
    url: fastifyPath(definition.path),
    config: { route: definition },
    exposeHeadRoute: false,
    preHandler: async (request) => {
      request.caller = authenticate(request, queryOf(request));
    },
    handler: notUpgraded,
    wsHandler: (socket, request) => {
      serve({ caller: request.caller, query: queryOf(request), socket, request });
    },
  });
};
