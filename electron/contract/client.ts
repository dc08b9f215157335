import { type ClientOptions, createSender, type JsonResponse } from './http-client.ts';
import type { PathParams, Route, RouteBodyInput, RouteQueryInput, RouteResponse } from './route.ts';
import { routes } from './routes.ts';

export { ApiError } from './http-client.ts';

/** The name of an operation: `listTranscripts`. */
export type RouteId = keyof typeof routes;
type RouteOf<Id extends RouteId> = (typeof routes)[Id];

type CallOptions<R extends Route> = {
  params?: PathParams<R>;
  query?: RouteQueryInput<R>;
  body?: RouteBodyInput<R> | FormData | Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/**
 * A client of the whole API, typed by the route table.
 * Rejects with `ApiError` for an error answer and with fetch's own error if the server cannot be reached.
 */
export const createClient = (options: ClientOptions) => {
  const sendTo = createSender(options);
  const send = <Id extends RouteId>(
    id: Id,
    call: CallOptions<RouteOf<Id>> = {},
  ): Promise<JsonResponse<CallAnswer<Id>>> => sendTo(routes[id], call);

  return {
    /** Resolves to the response of a successful call, for bytes and streams. */
    send,
    /** Resolves to the parsed JSON of a successful call. */
    call: async <Id extends RouteId>(id: Id, call?: CallOptions<RouteOf<Id>>): Promise<CallAnswer<Id>> => {
      const response = await send(id, call);
      return response.json();
    },
  };
};

export type Client = ReturnType<typeof createClient>;

/** What a call of an operation sends. */
export type CallInput<Id extends RouteId> = Omit<CallOptions<RouteOf<Id>>, 'signal'>;
/** The JSON answer of an operation. */
export type CallAnswer<Id extends RouteId> = RouteResponse<RouteOf<Id>>;
