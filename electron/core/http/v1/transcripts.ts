import type { FastifyInstance, FastifyReply } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { Caller } from '../../services/accounts.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute } from '../add-route.ts';
import { disconnectSignal } from '../disconnect-signal.ts';
import type { Renderings } from '../long/renderings.ts';
import { ok, success } from '../responses.ts';

const locationOf = (id: string) => ({ location: `/v1/transcript/id/${id}` });

type Deps = { readonly transcripts: TranscriptService; readonly renderings: Renderings };

type QueuedJob = {
  readonly id: string;
  readonly wait: boolean;
  readonly reply: FastifyReply;
};

/** 200 with the result where the request waits for it and it comes in time, otherwise 202. */
const answerJob = async (
  { transcripts, renderings }: Deps,
  { user }: Caller,
  { id, wait, reply }: QueuedJob,
): Promise<undefined> => {
  if (wait) await transcripts.wait(id, disconnectSignal(reply));
  const { status } = transcripts.outline(user.id, id, 'asked').transcription;
  reply.code(wait && status !== 'processing' ? 200 : 202).headers(locationOf(id));
  await renderings.send(reply, user.id, id, { kind: 'transcription' });
};

/** `/v1/transcript`: creates, lists, reads, edits, exports and deletes transcriptions. */
export const addTranscriptRoutes = (server: FastifyInstance, deps: Deps): void => {
  const { transcripts, renderings } = deps;
  const sendWhole = async ({ user }: Caller, id: string, reply: FastifyReply) => {
    await renderings.send(reply, user.id, id, { kind: 'transcription' });
    return undefined;
  };
  addRoute(server, routes.createTranscript, ({ caller, body, headers, reply }) => {
    const { id } = transcripts.create(caller.user, body, headers['idempotency-key']);
    return answerJob(deps, caller, { id, wait: body.wait_until_complete, reply });
  });
  addRoute(server, routes.recentTranscripts, ({ caller, query }) =>
    ok(transcripts.recent(caller.user.id, query.limit)),
  );
  addRoute(server, routes.listTranscripts, ({ caller, query }) =>
    ok(success(transcripts.list(caller.user.id, query))),
  );
  addRoute(server, routes.getTranscript, ({ caller, params, reply }) => sendWhole(caller, params.id, reply));
  addRoute(server, routes.getSentences, async ({ caller, params, reply }) => {
    await renderings.send(reply, caller.user.id, params.id, { kind: 'sentences' });
    return undefined;
  });
  addRoute(server, routes.patchTranscript, async ({ caller, params, body, reply }) => {
    await transcripts.edits.change(caller.user.id, params.id, body);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.addSpeaker, async ({ caller, params, body, reply }) => {
    await transcripts.edits.addSpeaker(caller.user.id, params.id, body);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.mergeSpeakers, async ({ caller, params, body, reply }) => {
    await transcripts.edits.merge(caller.user.id, params.id, body);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.splitSpeaker, async ({ caller, params, body, reply }) => {
    await transcripts.edits.split(caller.user.id, params.id, body);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.undoEdit, async ({ caller, params, body, reply }) => {
    await transcripts.edits.turn(caller.user.id, params.id, 'undo', body.edit);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.redoEdit, async ({ caller, params, body, reply }) => {
    await transcripts.edits.turn(caller.user.id, params.id, 'redo', body.edit);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.forgetEdits, async ({ caller, params, reply }) => {
    await transcripts.edits.forget(caller.user.id, params.id);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.cancelTranscript, async ({ caller, params, reply }) => {
    await transcripts.cancel(caller.user.id, params.id);
    return sendWhole(caller, params.id, reply);
  });
  addRoute(server, routes.retryTranscript, ({ caller, params: { id }, reply }) => {
    transcripts.retry(caller.user.id, id);
    return answerJob(deps, caller, { id, wait: false, reply });
  });
  addRoute(server, routes.analyzeTranscript, ({ caller, params: { id }, body, reply }) => {
    transcripts.analyze(caller.user.id, id, body);
    return answerJob(deps, caller, { id, wait: body.wait_until_complete, reply });
  });
  addRoute(server, routes.exportTranscript, async ({ caller, params, query, reply }) => {
    await renderings.send(reply, caller.user.id, params.id, { kind: 'export', query });
    return undefined;
  });
  addRoute(server, routes.getSubtitles, async ({ caller, params, query, reply }) => {
    await renderings.send(reply, caller.user.id, params.id, { kind: 'subtitles', query });
    return undefined;
  });
  addRoute(server, routes.deleteTranscript, async ({ caller, params }) => {
    await transcripts.remove(caller.user.id, params.id);
    return ok({ message: 'The transcription is deleted.' });
  });
};
