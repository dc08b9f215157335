import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: anyone, a valid key, the owner's keys alone, or a check of its own (signature, public file). */
export type Access = 'none' | 'key' | 'owner' | 'own';

export type Tag = 'Transcripts' | 'Storage' | 'Account' | 'Models' | 'System' | 'OpenAI' | 'AssemblyAI';

/** One operation of the HTTP API. The server, the OpenAPI document and the typed client are all made from it. */
export type Route = {
  readonly method: Method;
  /** OpenAPI form: `/v1/transcript/id/{id}`. `{fileKey}` as the last part takes slashes. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** Query parameters of the form `name[key]=value`; `query` must let them in. */
  readonly queryMaps?: Readonly<Record<string, z.ZodType>>;
  /** Headers with a meaning of their own here, by their names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** `json` unless said otherwise. `multipart` and `binary` bodies are read as streams by the handler. */
  readonly bodyType?: 'json' | 'multipart' | 'binary';
  /** The fields of a multipart form, as the document names them; the handler reads and checks the form itself. */
  readonly form?: z.ZodType;
  /** Bytes of a JSON body; 1 MB unless said otherwise. */
  readonly bodyLimit?: number;
  /** Which rate limit counts it; `requests` (by key) unless said otherwise. */
  readonly limit?: 'requests' | 'uploads' | 'deletions' | 'none';
  /** `bucket`: other web origins are let in by the account's CORS configuration, not by the settings. */
  readonly cors?: 'bucket';
  /** `openai`: errors have the shape of OpenAI's API. */
  readonly errorForm?: 'openai';
  /** The key may stand in `Authorization` by itself, without the word Bearer. */
  readonly bareKey?: true;
  /** Schema of the JSON answer by status. */
  readonly responses: { readonly [status: number]: z.ZodType };
  /** Media types of an answer that is not JSON, by status. */
  readonly raw?: { readonly [status: number]: readonly string[] };
  /** The answer is a file's bytes: with ranges and conditional requests. */
  readonly ranges?: true;
  /** A successful answer names the address of what it is about in `Location`. */
  readonly located?: true;
  /** Codes beyond those every operation can answer with. */
  readonly errors: readonly ErrorCode[];
};

/** Keeps the literal types of a route's parts. */
export const route = <const R extends Route>(definition: R): R => definition;

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;
type InputOf<T> = T extends z.ZodType ? z.input<T> : undefined;

export type RouteParams<R extends Route> = OutputOf<R['params']>;
export type RouteHeaders<R extends Route> = OutputOf<R['headers']>;
export type RouteQuery<R extends Route> = OutputOf<R['query']>;
export type RouteBody<R extends Route> = OutputOf<R['body']>;
export type RouteQueryInput<R extends Route> = InputOf<R['query']>;
export type RouteBodyInput<R extends Route> = InputOf<R['body']>;
/** The answer's body: the union over the statuses. */
export type RouteResponse<R extends Route> = z.output<R['responses'][keyof R['responses']] & z.ZodType>;
