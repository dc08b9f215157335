import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** Errors of uploads through a vendor's API. */
export const UPLOAD_ERRORS = [
  'file_too_large',
  'unsupported_file_type',
  'infected_file',
  'content_mismatch',
  'scanner_unavailable',
  'storage_limit_exceeded',
  'disk_full',
] as const satisfies ErrorCode[];
export const JOB_ERRORS = ['budget_exceeded', 'engine_unavailable'] as const satisfies ErrorCode[];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: anyone, any valid key, the owner's keys, or those whom the handler admits (`own`: signatures, public files). */
export type Access = 'none' | 'key' | 'owner' | 'own';

export type Tag =
  | 'Transcripts'
  | 'Storage'
  | 'Account'
  | 'Live'
  | 'Models'
  | 'System'
  | 'OpenAI'
  | 'AssemblyAI'
  | 'Whisper servers';

/** One operation of the HTTP API. The server, the OpenAPI document and the typed client are all made from it. */
export type Route = {
  readonly method: Method;
  /** In OpenAPI's form: `/v1/transcript/id/{id}`. `{fileKey}` as the last segment matches slashes. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** Query parameters of the form `name[key]=value`; `query` must accept them. */
  readonly queryMaps?: Readonly<Record<string, z.ZodType>>;
  /** Request headers that the operation reads, in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Default `json`. Handlers read `multipart` and `binary` bodies as streams. */
  readonly bodyType?: 'json' | 'multipart' | 'binary';
  /** The fields of a multipart form, for the document; the handler validates the form. */
  readonly form?: z.ZodType;
  /** The field of a form's file; default `file`. */
  readonly fileField?: string;
  /** Maximum bytes of a JSON body; default 1 MB. */
  readonly bodyLimit?: number;
  /** The rate limit that counts it; default `requests`, by key. */
  readonly limit?: 'requests' | 'uploads' | 'deletions' | 'none';
  /** `bucket`: the user's CORS configuration admits other web origins, not the settings. */
  readonly cors?: 'bucket';
  /** `openai`: errors have the shape of OpenAI's API. */
  readonly errorForm?: 'openai';
  /** Accepts the key in `Authorization` without the word Bearer. */
  readonly bareKey?: true;
  /** Programs of this computer may call it without a key, if the setting `network.keylessPrograms` is on. */
  readonly keyless?: true;
  /** Becomes a WebSocket; the messages are in the AsyncAPI document. */
  readonly websocket?: true;
  /** Schemas of JSON answers by status. */
  readonly responses: { readonly [status: number]: z.ZodType };
  /** Schema of the answer to `Prefer: return=minimal`, with which the server may answer instead of 200’s. */
  readonly minimal?: z.ZodType;
  /** Media types of other answers by status. */
  readonly raw?: { readonly [status: number]: readonly string[] };
  /** Answers with a file's bytes; supports ranges and conditional requests. */
  readonly ranges?: true;
  /** Successful answers carry `Location`. */
  readonly located?: true;
  /** Error codes beyond those of every operation (see `errorCodesOf`). */
  readonly errors: readonly ErrorCode[];
};

/** Preserves the literal types of a route. */
export const route = <const R extends Route>(definition: R): R => definition;

/** The names in braces of a path. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** A text for each name in a path: `/v1/transcript/id/{id}` needs `id`. */
export type PathParams<R extends Route> = Readonly<Record<PathNames<R['path']>, string>>;

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;
type InputOf<T> = T extends z.ZodType ? z.input<T> : undefined;

export type RouteParams<R extends Route> = OutputOf<R['params']>;
export type RouteHeaders<R extends Route> = OutputOf<R['headers']>;
export type RouteQuery<R extends Route> = OutputOf<R['query']>;
export type RouteBody<R extends Route> = OutputOf<R['body']>;
export type RouteQueryInput<R extends Route> = InputOf<R['query']>;
export type RouteBodyInput<R extends Route> = InputOf<R['body']>;
/** The union of the JSON answers over all statuses. */
export type RouteResponse<R extends Route> = z.output<R['responses'][keyof R['responses']] & z.ZodType>;
