import type { ErrorBody } from './errors.ts';
import type { Route, RouteBodyInput, RouteQueryInput, RouteResponse } from './route.ts';
import { routes } from './routes.ts';

export type RouteId = keyof typeof routes;
type RouteOf<Id extends RouteId> = (typeof routes)[Id];

export type CallOptions<R extends Route> = {
  params?: Record<string, string>;
  query?: RouteQueryInput<R>;
  body?: RouteBodyInput<R> | FormData | Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** An error answer of the API: `code` for programs, `message` for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: NonNullable<ErrorBody['details']>;
  readonly requestId: string;

  constructor(status: number, body: ErrorBody) {
    super(body.error);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? [];
    this.requestId = body.request_id;
  }
}

export type ClientOptions = {
  /** Without a trailing slash, e.g. `http://127.0.0.1:3277`. */
  baseUrl: string;
  key?: string;
  fetch?: typeof globalThis.fetch;
};

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  'code' in body;

const encodeKey = (key: string) => key.split('/').map(encodeURIComponent).join('/');

const buildPath = (path: string, params: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    return name === 'fileKey' ? encodeKey(value.replace(/^\//, '')) : encodeURIComponent(value);
  });

const buildQuery = (query: unknown) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
};

/**
 * A client of the whole API, typed by the route table.
 * Rejects with `ApiError` for an error answer, with fetch's own error when nothing answers.
 */
export const createClient = (options: ClientOptions) => {
  const fetcher = options.fetch ?? globalThis.fetch.bind(globalThis);

  const send = async <Id extends RouteId>(id: Id, call: CallOptions<RouteOf<Id>> = {}): Promise<Response> => {
    const definition: Route = routes[id];
    const raw = call.body instanceof FormData || call.body instanceof Blob;
    const response = await fetcher(
      options.baseUrl + buildPath(definition.path, call.params ?? {}) + buildQuery(call.query),
      {
        method: definition.method,
        headers: {
          ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
          ...(call.body === undefined || raw ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body === undefined
          ? {}
          : {
              body:
                call.body instanceof FormData || call.body instanceof Blob
                  ? call.body
                  : JSON.stringify(call.body),
            }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      },
    );
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => undefined);
    throw new ApiError(
      response.status,
      isErrorBody(body)
        ? body
        : {
            success: false,
            error: `The server answered ${response.status}.`,
            code: 'internal_error',
            request_id: '',
          },
    );
  };

  return {
    /** The raw response of a successful call: for bytes and streams. */
    send,
    /** The parsed JSON of a successful call. */
    call: async <Id extends RouteId>(
      id: Id,
      call?: CallOptions<RouteOf<Id>>,
    ): Promise<RouteResponse<RouteOf<Id>>> => {
      const response = await send(id, call);
      // The server serialises each answer through the schema of its route, so the type holds by construction.
      return (await response.json()) as RouteResponse<RouteOf<Id>>;
    },
  };
};

export type Client = ReturnType<typeof createClient>;
