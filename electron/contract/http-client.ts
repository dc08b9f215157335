/** The part of an error answer's body that clients use. */
export type ErrorAnswer = {
  readonly error: string;
  readonly code: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
  readonly request_id: string;
};

/** An error answer of the API. Branch on `code`, show `message`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];
  /** The request's id in the server's log. */
  readonly requestId: string;

  constructor(status: number, body: ErrorAnswer) {
    super(body.error);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? [];
    this.requestId = body.request_id;
  }
}

const isErrorAnswer = (body: unknown): body is ErrorAnswer =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  'code' in body &&
  typeof body.code === 'string' &&
  'request_id' in body &&
  typeof body.request_id === 'string';

/** The error in an answer's body, or a generic one with the status if the body has another shape. */
export const apiErrorOf = (status: number, body: unknown): ApiError =>
  new ApiError(
    status,
    isErrorAnswer(body)
      ? body
      : { error: `The server answered ${status}.`, code: 'internal_error', request_id: '' },
  );

export type Endpoint = { readonly method: string; readonly path: string };

export type ClientOptions = {
  /** Without a trailing slash, e.g. `http://127.0.0.1:3277`. */
  readonly baseUrl: string;
  readonly key?: string;
  readonly fetch?: typeof globalThis.fetch;
};

/** A response whose body is JSON of this type: the server serializes each answer through its route's schema. */
export interface JsonResponse<T> extends Response {
  json(): Promise<T>;
}

export type Outgoing = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

const encodeKey = (key: string) => key.split('/').map(encodeURIComponent).join('/');

const buildPath = (path: string, params: Readonly<Record<string, string>>) =>
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
 * Sends requests to operations of the API.
 * Rejects with `ApiError` for an error answer and with fetch's own error if the server cannot be reached.
 */
export const createSender = (options: ClientOptions) => {
  const fetcher = options.fetch ?? globalThis.fetch.bind(globalThis);
  return async ({ method, path }: Endpoint, call: Outgoing = {}): Promise<Response> => {
    const { body } = call;
    const raw = body instanceof FormData || body instanceof Blob;
    const address = options.baseUrl + buildPath(path, call.params ?? {}) + buildQuery(call.query);
    const response = await fetcher(address, {
      method,
      headers: {
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    if (response.ok) return response;
    throw apiErrorOf(response.status, await response.json().catch(() => undefined));
  };
};
