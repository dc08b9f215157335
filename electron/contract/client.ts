import { type ClientOptions, createSender, type JsonResponse } from './http-client.ts';
import type { PathParams, Route, RouteBodyInput, RouteQueryInput, RouteResponse } from './route.ts';
import { routes } from './routes.ts';

export { ApiError } from './http-client.ts';

/** The name of an operation: `listTranscripts`. */
export type RouteId = keyof typeof routes;
type RouteOf<Id extends RouteId> = (typeof routes)[Id];

type ParamsOption<R extends Route> =
  Record<never, never> extends PathParams<R> ? { params?: PathParams<R> } : { params: PathParams<R> };

/** What a call of an operation sends. */
export type CallInput<Id extends RouteId> = ParamsOption<RouteOf<Id>> & {
  query?: RouteQueryInput<RouteOf<Id>>;
  body?: RouteBodyInput<RouteOf<Id>> | FormData | Blob;
  headers?: Record<string, string>;
};
type CallOptions<Id extends RouteId> = CallInput<Id> & { signal?: AbortSignal };
/** The JSON answer of an operation. */
export type CallAnswer<Id extends RouteId> = RouteResponse<RouteOf<Id>>;

/** The operations whose path has no parameters, so that a call of them may send nothing. */
export type PlainRouteId = {
  [Id in RouteId]: Record<never, never> extends CallInput<Id> ? Id : never;
}[RouteId];

/**
 * A client of the whole API, typed by the route table.
 * Rejects with `ApiError` for an error answer and with fetch's own error if the server cannot be reached.
 */
export type Client = {
  /** Resolves to the response of a successful call, for bytes and streams. */
  send<Id extends PlainRouteId>(id: Id, call?: CallOptions<Id>): Promise<JsonResponse<CallAnswer<Id>>>;
  send<Id extends RouteId>(id: Id, call: CallOptions<Id>): Promise<JsonResponse<CallAnswer<Id>>>;
  /** Resolves to the parsed JSON of a successful call. */
  call<Id extends PlainRouteId>(id: Id, call?: CallOptions<Id>): Promise<CallAnswer<Id>>;
  call<Id extends RouteId>(id: Id, call: CallOptions<Id>): Promise<CallAnswer<Id>>;
};

export const createClient = (options: ClientOptions): Client => {
  const sendTo = createSender(options);
  const send = <Id extends RouteId>(id: Id, call?: CallOptions<Id>): Promise<JsonResponse<CallAnswer<Id>>> =>
    sendTo(routes[id], call);
  return {
    send,
    call: async <Id extends RouteId>(id: Id, call?: CallOptions<Id>): Promise<CallAnswer<Id>> => {
      const response = await send(id, call);
      return response.json();
    },
  };
};
