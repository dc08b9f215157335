import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ExportQuery } from '../../../contract/exports.ts';
import { routes } from '../../../contract/routes.ts';
import { AppError } from '../../base/errors.ts';
import { renderVtt } from '../../exports/subtitles.ts';
import type { Caller } from '../../services/accounts.ts';
import type { ModelService } from '../../services/models/index.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute, addSocketRoute } from '../add-route.ts';
import { created, ok, success } from '../responses.ts';
import { serveAssemblyAi } from './assemblyai.ts';
import type { RealtimeDeps } from './client.ts';
import { serveNative } from './native.ts';
import { serveOpenAi } from './openai.ts';

type Deps = RealtimeDeps & {
  readonly transcripts: TranscriptService;
  readonly models: Pick<ModelService, 'published'>;
};

/** OpenAI's browser clients send the key as a protocol of the WebSocket. */
const PROTOCOL_KEY = /(?:^|,)\s*openai-insecure-api-key\.([^,\s]+)/;

/** Throws `unauthorized`. */
const callerOf = ({ live, accounts }: Deps, request: FastifyRequest, token: string | undefined): Caller => {
  const key = PROTOCOL_KEY.exec(request.headers['sec-websocket-protocol'] ?? '')?.[1];
  const caller =
    request.caller ??
    (token === undefined ? undefined : live.callerOf(token)) ??
    (key === undefined ? undefined : (accounts.authenticate(key) ?? live.callerOf(key)));
  if (caller !== undefined) return caller;
  throw new AppError(
    'unauthorized',
    token === undefined
      ? 'An API key is needed, or a token of POST /v1/realtime/token as `?token=`.'
      : 'This token has expired, or is not valid. Ask for a new one.',
  );
};

/** `/v1/realtime`: text while somebody speaks. */
export const addRealtimeRoutes = (server: FastifyInstance, deps: Deps): void => {
  const { live, transcripts } = deps;
  addSocketRoute(server, routes.realtime, {
    authenticate: (request, query) => callerOf(deps, request, query.token),
    serve: ({ caller, query, socket }) => {
      if (caller === undefined) return socket.terminate();
      const isOpenAi = query.intent !== undefined || query.model !== undefined;
      return isOpenAi ? serveOpenAi(deps, caller, socket) : serveNative(deps, caller, socket);
    },
  });
  addSocketRoute(server, routes.aaiStreaming, {
    authenticate: ({ caller }, { token }) =>
      caller ?? (token === undefined ? undefined : live.callerOf(token)),
    serve: ({ caller, query, socket }) => serveAssemblyAi(deps, caller, socket, query),
  });
  addRoute(server, routes.aaiStreamingToken, ({ caller, query }) =>
    ok({ token: live.newToken(caller, query.expires_in_seconds).token }),
  );
  addRoute(server, routes.realtimeToken, ({ caller, body }) =>
    created(success(live.newToken(caller, body.expires_in_seconds))),
  );
  addRoute(server, routes.realtimeCaptions, async ({ params, query, request, reply }) => {
    const { user } = callerOf(deps, request, query.token);
    const { transcription } = transcripts.whole(user.id, params.id, 'words');
    reply.header('cache-control', 'no-store').type('text/vtt; charset=utf-8');
    await reply.send(renderVtt(transcription, ExportQuery.parse({ format: 'vtt' })));
    return undefined;
  });
};
