import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { AppError } from '../../base/errors.ts';
import type { PlayableAudio, TranscriptAudio } from '../../services/transcripts/audio.ts';
import { addRoute } from '../add-route.ts';
import { disconnectSignal } from '../disconnect-signal.ts';
import { ok, success } from '../responses.ts';
import { fileSource, sendFile } from '../send-file.ts';

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
      disposition: { type: 'inline', name: file.name },
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
