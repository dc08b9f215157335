import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ErrorDetail } from '../../contract/errors.ts';
import type { Route, RouteBody, RouteHeaders, RouteParams, RouteQuery } from '../../contract/route.ts';
import { AppError } from '../base/errors.ts';
import type { Caller } from '../services/accounts.ts';

/** What a handler is given: validated input and who asks. */
export type Call<R extends Route> = {
  readonly params: RouteParams<R>;
  readonly query: RouteQuery<R>;
  readonly headers: RouteHeaders<R>;
  readonly body: RouteBody<R>;
  /** Throws `unauthorized` on a route that lets anyone in and nobody showed a key. */
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

/** An answer with its status, or undefined when the handler has sent the reply by itself. */
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

/** `/v1/transcript/id/{id}` → `/v1/transcript/id/:id`; a trailing `{fileKey}` takes slashes. */
const fastifyPath = (path: string): string =>
  path.replace(/\{fileKey\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');

const describe = (issue: z.core.$ZodIssue): ErrorDetail[] => {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...at, key].join('.'), message: UNKNOWN_FIELD }));
  }
  return [{ path: at.join('.'), message: issue.message.replace(/^Invalid input: /, '') }];
};

const MAX_DEPTH = 100;

/** Looks level by level: checking a body of brackets alone by recursion would exhaust the stack. */
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

const UNKNOWN_FIELD = 'is not a known field';
const UNKNOWN_PROTOTYPE: ErrorDetail = { path: '__proto__', message: UNKNOWN_FIELD };

/**
 * What a schema makes of a request's part.
 * Throws `invalid_request` with every fault in `details`; `where` names the part when it is at fault as a whole.
 */
export const checkInput = <T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> => {
  if (isTooDeep(value)) {
    throw new AppError('invalid_request', `The ${where} nests deeper than ${MAX_DEPTH} levels.`);
  }
  const result = schema.safeParse(value);
  // Where further names are let in, this one would be lost on the way instead of refused.
  const prototype = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  if (result.success && !prototype) return result.data;
  const details = result.success ? [UNKNOWN_PROTOTYPE] : result.error.issues.flatMap(describe);
  const first = details[0];
  const name = first === undefined || first.path === '' ? where : first.path;
  const sentence = `The request is not valid: ${name}: ${first?.message ?? 'is not valid'}.`;
  throw new AppError('invalid_request', sentence, { details });
};

const NOTHING = z.strictObject({});

const bodyOf = (definition: Route, { body }: FastifyRequest): unknown =>
  // What is no JSON is read by the handler.
  (definition.bodyType ?? 'json') === 'json'
    ? checkInput(definition.body ?? NOTHING, body === undefined ? {} : body, 'body')
    : undefined;

const parse = (schema: z.ZodType | undefined, value: unknown, where: string): unknown =>
  schema === undefined ? undefined : checkInput(schema, value, where);

const paramsOf = (request: FastifyRequest, path: string): unknown => {
  const { '*': rest, ...named } = request.params as Record<string, string>;
  return path.endsWith('{fileKey}') ? { ...named, fileKey: rest } : named;
};

const answer = (
  definition: Route,
  reply: FastifyReply,
  result: { status: number; body: unknown },
): unknown => {
  const schema = definition.responses[result.status];
  if (schema === undefined) throw new Error(`No schema for status ${result.status}`);
  reply.code(result.status).type('application/json; charset=utf-8');
  // Parsing names every field that leaves: what the schema does not declare is dropped.
  return JSON.stringify(schema.parse(result.body));
};

/** Puts one operation of the route table on the server. */
export const implement = <const R extends Route>(
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
      // `parse` returns the output of the very schema that the type is derived from.
      const call = {
        params: parse(definition.params, paramsOf(request, definition.path), 'path'),
        // An operation that takes none of these refuses what is sent, so that nothing is ignored in silence.
        query: checkInput(definition.query ?? NOTHING, request.query, 'query'),
        headers: parse(definition.headers, request.headers, 'headers'),
        body: bodyOf(definition, request),
        request,
        reply,
        get caller() {
          if (request.caller === undefined) throw new AppError('unauthorized', 'An API key is needed.');
          return request.caller;
        },
      } as unknown as Call<R>;
      const result = await handler(call);
      if (result === undefined) return reply;
      for (const [name, value] of Object.entries(result.headers ?? {})) reply.header(name, value);
      return answer(definition, reply, result);
    },
  });
};
