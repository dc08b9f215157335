import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Route, RouteBody, RouteHeaders, RouteParams, RouteQuery } from '../../contract/route.ts';
import { AppError } from '../base/errors.ts';
import { createYielder, type YieldIfDue } from '../base/event-loop.ts';
import type { Caller } from '../services/accounts.ts';
import { validate } from './validate.ts';

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
