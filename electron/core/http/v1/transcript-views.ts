import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { AppError } from '../../base/errors.ts';
import { renderExport } from '../../exports/render.ts';
import type { QueueService } from '../../services/queue.ts';
import type { SearchService } from '../../services/search.ts';
import type { PlayableAudio, TranscriptAudio } from '../../services/transcripts/audio.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { ok, success } from '../answers.ts';
import { contentDisposition } from '../disposition.ts';
import { implement } from '../implement.ts';
import { fileSource, sendFile } from '../send-file.ts';

export type TranscriptViews = {
  readonly transcripts: TranscriptService;
  readonly audio: TranscriptAudio;
  readonly search: SearchService;
  readonly queue: QueueService;
};

const entityTag = (file: PlayableAudio): string =>
  `"${file.size.toString(36)}-${Math.round(file.modified).toString(36)}"`;

const audioRoutes = (server: FastifyInstance, { audio }: TranscriptViews): void => {
  implement(server, routes.transcriptAudio, async ({ params, query, request, reply }) => {
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
      disposition: { type: 'inline', name: file.name },
      cacheControl: 'private, no-cache',
      headers: { 'content-security-policy': "sandbox; default-src 'none'" },
    });
    return undefined;
  });
  implement(server, routes.transcriptAudioUrl, ({ caller, params }) =>
    ok(success(audio.signedUrl(caller.user.id, params.id))),
  );
  implement(server, routes.transcriptPeaks, async ({ caller, params, query }) =>
    ok(success(await audio.peaks(caller.user.id, params.id, query.per_second))),
  );
};

const queueRoutes = (server: FastifyInstance, { queue }: TranscriptViews): void => {
  implement(server, routes.getQueue, ({ caller }) => ok(success(queue.list(caller.user.id))));
  implement(server, routes.pauseQueue, ({ caller }) => {
    queue.setPaused(true);
    return ok(success(queue.list(caller.user.id)));
  });
  implement(server, routes.resumeQueue, ({ caller }) => {
    queue.setPaused(false);
    return ok(success(queue.list(caller.user.id)));
  });
  implement(server, routes.moveInQueue, ({ caller, params, body }) => {
    queue.move(caller.user.id, params.id, body.position);
    return ok(success(queue.list(caller.user.id)));
  });
};

/** What is made from transcriptions: exports, search results, sound, and the queue. */
export const transcriptViews = (server: FastifyInstance, views: TranscriptViews): void => {
  const { transcripts, search } = views;
  audioRoutes(server, views);
  queueRoutes(server, views);
  implement(server, routes.exportTranscript, async ({ caller, params, query, reply }) => {
    const transcript = transcripts.forExport(caller.user.id, params.id);
    const { body, mediaType, fileName } = await renderExport(transcript, query);
    await reply
      .type(mediaType)
      .header('content-disposition', contentDisposition('attachment', fileName))
      .send(typeof body === 'string' ? body : Buffer.from(body));
    return undefined;
  });
  implement(server, routes.searchTranscripts, ({ caller, query }) =>
    ok(success(search.search(caller.user.id, query.q, query.page, query.limit))),
  );
};
