import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { CreateTranscript, type Transcription } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import { presentFile } from '../../services/files/present.ts';
import type { UploadService } from '../../services/files/uploads.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import type { TranscriptPagination } from '../../services/transcripts/pagination.ts';
import { addRoute } from '../add-route.ts';
import { closeAfterRefusal } from '../lingering-close.ts';
import { ok } from '../responses.ts';
import { validate } from '../validate.ts';
import { extrasOf, type ModelChoice, requestOf } from './create.ts';
import { aaiList } from './list.ts';
import { aaiSubtitles } from './subtitles.ts';
import { aaiDeleted, aaiTranscript } from './transcript.ts';
import { aaiParagraphs, aaiSentences, aaiWordSearch, aaiWords } from './words.ts';

export type AssemblyAiDeps = {
  readonly transcripts: TranscriptService;
  readonly pagination: TranscriptPagination;
  readonly uploads: UploadService;
  readonly models: ModelChoice;
  /** Without a trailing slash. */
  readonly baseUrl: () => string;
};

const FOLDER = 'assemblyai';

/** The transcript in AssemblyAI's form, whatever its status. */
const read = ({ transcripts }: AssemblyAiDeps, userId: string, id: string) => {
  const stored = transcripts.stored(userId, id);
  const { options, languageAsked, webhookUrl } = stored;
  return aaiTranscript(transcripts.present({ ...stored, timestampStyle: 'word' }), {
    options,
    languageAsked,
    webhookUrl,
  });
};

/** A completed transcript with its words. Throws `transcript_not_ready` for one that runs or failed. */
const completed = ({ transcripts }: AssemblyAiDeps, userId: string, id: string): Transcription => {
  const transcript = transcripts.forExport(userId, id);
  if (transcript.status !== 'completed') {
    throw new AppError('transcript_not_ready', 'This transcription failed; it has no words to show.');
  }
  return transcript;
};

const summaryOf = ({ id, confidence, duration }: Transcription) => ({
  id,
  confidence: confidence ?? 0,
  audio_duration: Math.round(duration),
});

const addUploadRoute = (server: FastifyInstance, { uploads, baseUrl }: AssemblyAiDeps): void => {
  addRoute(server, routes.aaiUpload, async ({ caller, request }) => {
    const { file } = await uploads.store({
      userId: caller.user.id,
      source: request.raw,
      // The request names no file.
      fileName: 'upload',
      declaredType: '',
      folder: FOLDER,
      purpose: 'transcription',
    });
    return ok({ upload_url: presentFile(file, baseUrl()).urls.download });
  });
};

const addTranscriptRoutes = (server: FastifyInstance, deps: AssemblyAiDeps): void => {
  const { transcripts, pagination, baseUrl } = deps;
  addRoute(server, routes.aaiCreate, ({ caller, body }) => {
    const request = validate(CreateTranscript, requestOf(body, deps.models), 'body');
    const created = transcripts.create(caller.user, request, undefined, extrasOf(body));
    return ok(read(deps, caller.user.id, created.id));
  });
  addRoute(server, routes.aaiGet, ({ caller, params }) => ok(read(deps, caller.user.id, params.id)));
  addRoute(server, routes.aaiList, ({ caller, query, request }) =>
    ok(aaiList(pagination.around(caller.user.id, query), query, `${baseUrl()}${request.url}`)),
  );
  addRoute(server, routes.aaiDelete, async ({ caller, params }) => {
    const transcript = read(deps, caller.user.id, params.id);
    await transcripts.remove(caller.user.id, params.id);
    return ok(aaiDeleted(transcript));
  });
};

const addReadingRoutes = (server: FastifyInstance, deps: AssemblyAiDeps): void => {
  addRoute(server, routes.aaiSentences, ({ caller, params }) => {
    const transcript = completed(deps, caller.user.id, params.id);
    return ok({ ...summaryOf(transcript), sentences: aaiSentences(transcript) });
  });
  addRoute(server, routes.aaiParagraphs, ({ caller, params }) => {
    const transcript = completed(deps, caller.user.id, params.id);
    return ok({ ...summaryOf(transcript), paragraphs: aaiParagraphs(transcript) });
  });
  addRoute(server, routes.aaiSrt, async ({ caller, params, query, reply }) => {
    const transcript = completed(deps, caller.user.id, params.id);
    await reply.type('text/plain; charset=utf-8').send(aaiSubtitles(transcript, 'srt', query));
    return undefined;
  });
  addRoute(server, routes.aaiVtt, async ({ caller, params, query, reply }) => {
    const transcript = completed(deps, caller.user.id, params.id);
    await reply.type('text/plain; charset=utf-8').send(aaiSubtitles(transcript, 'vtt', query));
    return undefined;
  });
  addRoute(server, routes.aaiWordSearch, ({ caller, params, query }) => {
    const transcript = completed(deps, caller.user.id, params.id);
    const matches = aaiWordSearch(aaiWords(transcript), query.words.split(','));
    return ok({
      id: transcript.id,
      total_count: matches.reduce((sum, match) => sum + match.count, 0),
      matches,
    });
  });
  addRoute(server, routes.aaiRedactedAudio, ({ caller, params }) => {
    const { redacted_audio_url } = completed(deps, caller.user.id, params.id);
    if (redacted_audio_url === undefined) {
      throw new AppError(
        'not_available',
        'This transcription has no redacted audio: ask for it with redact_pii_audio.',
      );
    }
    return ok({ redacted_audio_url, status: 'redacted_audio_ready' as const });
  });
};

/** `/v2` in the form of AssemblyAI's API. */
export const addAssemblyAiRoutes = async (server: FastifyInstance, deps: AssemblyAiDeps): Promise<void> => {
  await server.register(async (scope) => {
    addTranscriptRoutes(scope, deps);
    addReadingRoutes(scope, deps);
  });
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Leave the body of any type unread: the handler streams it.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onError', async (request, reply) => closeAfterRefusal(request, reply));
    addUploadRoute(scope, deps);
  });
};
