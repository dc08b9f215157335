import type { FastifyInstance, FastifyReply } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { renderExport } from '../../exports/render.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute } from '../add-route.ts';
import { contentDisposition } from '../content-disposition.ts';
import { accepted, ok, success } from '../responses.ts';

/** Aborts when the client disconnects. */
const disconnectSignal = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
};

/** `/v1/transcript`: creates, lists, reads, edits, exports and deletes transcriptions. */
export const addTranscriptRoutes = (server: FastifyInstance, transcripts: TranscriptService): void => {
  const locationOf = (id: string) => ({ location: `/v1/transcript/id/${id}` });
  addRoute(server, routes.createTranscript, async ({ caller, body, headers: sent, reply }) => {
    const created = transcripts.create(caller.user, body, sent['idempotency-key']);
    const headers = locationOf(created.id);
    if (!body.wait_until_complete) return accepted(created, headers);
    const finished = await transcripts.wait(caller.user.id, created.id, disconnectSignal(reply));
    return finished.status === 'processing' ? accepted(finished, headers) : ok(finished, headers);
  });
  addRoute(server, routes.recentTranscripts, ({ caller, query }) =>
    ok(transcripts.recent(caller.user.id, query.limit)),
  );
  addRoute(server, routes.listTranscripts, ({ caller, query }) =>
    ok(success(transcripts.list(caller.user.id, query))),
  );
  addRoute(server, routes.getTranscript, ({ caller, params }) =>
    ok(transcripts.get(caller.user.id, params.id)),
  );
  addRoute(server, routes.getSentences, ({ caller, params }) =>
    ok(success(transcripts.sentences(caller.user.id, params.id))),
  );
  addRoute(server, routes.patchTranscript, async ({ caller, params, body }) =>
    ok(await transcripts.change(caller.user.id, params.id, body)),
  );
  addRoute(server, routes.cancelTranscript, async ({ caller, params }) =>
    ok(await transcripts.cancel(caller.user.id, params.id)),
  );
  addRoute(server, routes.retryTranscript, ({ caller, params }) =>
    accepted(transcripts.retry(caller.user.id, params.id), locationOf(params.id)),
  );
  addRoute(server, routes.analyzeTranscript, async ({ caller, params, body, reply }) => {
    transcripts.analyze(caller.user.id, params.id, body);
    const headers = locationOf(params.id);
    if (!body.wait_until_complete) return accepted(transcripts.get(caller.user.id, params.id), headers);
    const finished = await transcripts.wait(caller.user.id, params.id, disconnectSignal(reply));
    return finished.status === 'processing' ? accepted(finished, headers) : ok(finished, headers);
  });
  addRoute(server, routes.exportTranscript, async ({ caller, params, query, reply }) => {
    const transcript = transcripts.forExport(caller.user.id, params.id);
    const { body, mediaType, fileName } = await renderExport(transcript, query);
    await reply
      .type(mediaType)
      .header('content-disposition', contentDisposition('attachment', fileName))
      .send(typeof body === 'string' ? body : Buffer.from(body));
    return undefined;
  });
  addRoute(server, routes.deleteTranscript, async ({ caller, params }) => {
    await transcripts.remove(caller.user.id, params.id);
    return ok({ message: 'The transcription is deleted.' });
  });
};
