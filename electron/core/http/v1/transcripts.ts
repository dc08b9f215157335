import type { FastifyInstance, FastifyReply } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { TranscriptEdit } from '../../../contract/transcript-edits.ts';
import { AppError } from '../../base/errors.ts';
import type { Caller } from '../../services/accounts.ts';
import type { QueueService } from '../../services/queue.ts';
import type { SearchService } from '../../services/search.ts';
import type { PlayableAudio, TranscriptAudio } from '../../services/transcripts/audio.ts';
import type { EditOutcome } from '../../services/transcripts/edits.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import type { WebhookService } from '../../services/webhooks.ts';
import { addRoute, type Call } from '../add-route.ts';
import type { Renderings } from '../long/renderings.ts';
import { disconnectSignal } from '../open-streams.ts';
import { ok, success } from '../responses.ts';
import { fileSource, sendFile } from '../send-file.ts';

/** `GET /v1/search`: full text over the caller's transcriptions. */
export const addSearchRoutes = (server: FastifyInstance, search: SearchService): void => {
  addRoute(server, routes.searchTranscripts, ({ caller, query }) =>
    ok(success(search.search(caller.user.id, query.q, query.page, query.limit))),
  );
};

/** `/v1/queue`: the jobs that wait or run, their order, and the pause switch. */
export const addQueueRoutes = (server: FastifyInstance, queue: QueueService): void => {
  addRoute(server, routes.getQueue, ({ caller }) => ok(success(queue.list(caller.user.id))));
  addRoute(server, routes.pauseQueue, ({ caller }) => {
    queue.setPaused(true);
    return ok(success(queue.list(caller.user.id)));
  });
  addRoute(server, routes.resumeQueue, ({ caller }) => {
    queue.setPaused(false);
    return ok(success(queue.list(caller.user.id)));
  });
  addRoute(server, routes.moveInQueue, ({ caller, params, body }) => {
    queue.move(caller.user.id, params.id, body.position);
    return ok(success(queue.list(caller.user.id)));
  });
};

/** The deliveries of webhooks, and a test delivery. */
export const addWebhookRoutes = (server: FastifyInstance, webhooks: WebhookService): void => {
  addRoute(server, routes.listDeliveries, ({ caller, params }) =>
    ok(success(webhooks.list(caller.user.id, params.id))),
  );
  addRoute(server, routes.recentDeliveries, ({ caller, query }) =>
    ok(success(webhooks.recent(caller.user.id, query.limit))),
  );
  addRoute(server, routes.testDelivery, async ({ caller, params }) =>
    ok(success(await webhooks.test(caller.user.id, params.id))),
  );
};

const entityTag = (file: PlayableAudio): string =>
  `"${file.size.toString(36)}-${Math.round(file.modified).toString(36)}"`;

/** A transcription's audio for a player: its bytes, a signed URL, and the peaks of its waveform. */
export const addPlaybackRoutes = (server: FastifyInstance, audio: TranscriptAudio): void => {
  addRoute(server, routes.transcriptAudio, async ({ params, query, request, reply }) => {
    const { expires, signature } = query;
    if (expires !== undefined && signature !== undefined) audio.checkSignature(params.id, expires, signature);
    else if (request.caller === undefined)
      throw new AppError('unauthorized', 'An API key or a signed address is needed.');
    const file = await audio.file(signature === undefined ? request.caller?.user.id : undefined, params.id);
    await using handle = file.handle;
    await sendFile(request, reply, {
      source: fileSource(handle, file.size),
      etag: entityTag(file),
      lastModified: file.modified,
      contentType: file.mediaType,
      disposition: { type: query.download === true ? 'attachment' : 'inline', name: file.name },
      cacheControl: 'private, no-cache',
      headers: { 'content-security-policy': "sandbox; default-src 'none'" },
    });
    return undefined;
  });
  addRoute(server, routes.transcriptAudioUrl, ({ caller, params }) =>
    ok(success(audio.signedUrl(caller.user.id, params.id))),
  );
  addRoute(server, routes.transcriptPeaks, async ({ caller, params, query, reply }) =>
    ok(success(await audio.peaks(caller.user.id, params.id, query, disconnectSignal(reply)))),
  );
};

const locationOf = (id: string) => ({ location: `/v1/transcript/id/${id}` });

type Deps = { readonly transcripts: TranscriptService; readonly renderings: Renderings };

type QueuedJob = {
  readonly id: string;
  readonly wait: boolean;
  readonly reply: FastifyReply;
};

/** 200 with the result if the request waits for it and it comes in time, otherwise 202. */
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

const wantsMinimal = (prefer = ''): boolean =>
  prefer.split(',').some((preference) => /^\s*return\s*=\s*"?minimal"?\s*(;|$)/i.test(preference));

type EditCall = Pick<Call<typeof routes.undoEdit>, 'caller' | 'params' | 'headers' | 'reply'>;

/** Answers an edit with the whole transcription, or with what changed if the client prefers that (RFC 7240). */
const answerEdit = async (
  { transcripts, renderings }: Deps,
  { caller, params: { id }, headers, reply }: EditCall,
  edit: (userId: string, id: string) => Promise<EditOutcome>,
): Promise<undefined> => {
  const userId = caller.user.id;
  const change = await transcripts.edited(userId, id, () => edit(userId, id));
  if (change === undefined || !wantsMinimal(headers.prefer)) {
    await renderings.send(reply, userId, id, { kind: 'transcription' });
    return;
  }
  const body = JSON.stringify(TranscriptEdit.parse(change));
  await reply
    .header('preference-applied', 'return=minimal')
    .type('application/json; charset=utf-8')
    .send(body);
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
  addRoute(server, routes.getTranscript, async ({ caller, params, query, reply }) => {
    await renderings.send(reply, caller.user.id, params.id, { kind: 'transcription', words: query });
    return undefined;
  });
  addRoute(server, routes.getSentences, async ({ caller, params, reply }) => {
    await renderings.send(reply, caller.user.id, params.id, { kind: 'sentences' });
    return undefined;
  });
  const { edits } = transcripts;
  addRoute(server, routes.patchTranscript, (call) =>
    answerEdit(deps, call, (user, id) => edits.change(user, id, call.body)),
  );
  addRoute(server, routes.addSpeaker, (call) =>
    answerEdit(deps, call, (user, id) => edits.addSpeaker(user, id, call.body)),
  );
  addRoute(server, routes.mergeSpeakers, (call) =>
    answerEdit(deps, call, (user, id) => edits.merge(user, id, call.body)),
  );
  addRoute(server, routes.splitSpeaker, (call) =>
    answerEdit(deps, call, (user, id) => edits.split(user, id, call.body)),
  );
  addRoute(server, routes.undoEdit, (call) =>
    answerEdit(deps, call, (user, id) => edits.turn(user, id, 'undo', call.body.edit)),
  );
  addRoute(server, routes.redoEdit, (call) =>
    answerEdit(deps, call, (user, id) => edits.turn(user, id, 'redo', call.body.edit)),
  );
  addRoute(server, routes.putMarks, ({ caller, params, body }) =>
    ok(success({ marks: transcripts.mark(caller.user.id, params.id, body.marks) })),
  );
  addRoute(server, routes.forgetEdits, async ({ caller, params, reply }) => {
    await edits.forget(caller.user.id, params.id);
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
  addRoute(server, routes.redactWords, ({ caller, params: { id }, body, reply }) => {
    transcripts.redact(caller.user.id, id, body);
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
