import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AaiCreate } from '../../../contract/assemblyai-create.ts';
import { routes } from '../../../contract/routes.ts';
import { CreateTranscript } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import type { Caller } from '../../services/accounts.ts';
import { presentFile } from '../../services/files/present.ts';
import type { FileService } from '../../services/files/service.ts';
import type { UploadService } from '../../services/files/uploads.ts';
import type { TranscriptAudio } from '../../services/transcripts/audio.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import type { TranscriptPagination } from '../../services/transcripts/list.ts';
import { addRoute, validate } from '../add-route.ts';
import type { Rendering } from '../long/rendering.ts';
import type { Renderings } from '../long/renderings.ts';
import { ok } from '../responses.ts';
import { type ModelChoice, requestOf } from './create.ts';
import { foreignRequestOf } from './extras.ts';
import { aaiList } from './list.ts';
import { type AaiContext, aaiDeleted, aaiTranscript } from './transcript.ts';

export type AssemblyAiDeps = {
  readonly transcripts: TranscriptService;
  readonly renderings: Renderings;
  readonly pagination: TranscriptPagination;
  readonly uploads: UploadService;
  readonly files: FileService;
  readonly audio: TranscriptAudio;
  readonly models: ModelChoice;
  /** Without a trailing slash. */
  readonly baseUrl: () => string;
};

const FOLDER = 'assemblyai';

const contextOf = ({ transcripts }: AssemblyAiDeps, userId: string, id: string): AaiContext => {
  const { options, languageAsked, webhookUrl } = transcripts.stored(userId, id);
  return { options, languageAsked, webhookUrl };
};

/** The transcript without its words in AssemblyAI's form, whatever its status. */
const readOutline = (deps: AssemblyAiDeps, userId: string, id: string) =>
  aaiTranscript(deps.transcripts.outline(userId, id, 'words').transcription, contextOf(deps, userId, id));

/** Throws `transcript_not_ready` for a transcript that runs or failed. */
const requireCompleted = ({ transcripts }: AssemblyAiDeps, userId: string, id: string): void => {
  if (transcripts.outline(userId, id, 'finished').transcription.status === 'completed') return;
  throw new AppError('transcript_not_ready', 'This transcription failed; it has no words to show.');
};

/** The length that a request announces, if any. */
const lengthOf = ({ headers }: FastifyRequest): number | undefined =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length']);

const addUploadRoute = (server: FastifyInstance, { uploads, baseUrl }: AssemblyAiDeps): void => {
  addRoute(server, routes.aaiUpload, async ({ caller, request }) => {
    const { file } = await uploads.store({
      userId: caller.user.id,
      source: request.raw,
      expectedBytes: lengthOf(request),
      // The request names no file.
      fileName: 'upload',
      declaredType: '',
      folder: FOLDER,
      purpose: 'transcription',
    });
    return ok({ upload_url: presentFile(file, baseUrl()).urls.download });
  });
};

/** What our own API says about the field `model`, with AssemblyAI's name of it. */
const aboutSpeechModel = (error: unknown, { speech_models }: AaiCreate): unknown => {
  if (!(error instanceof AppError) || error.details[0]?.path !== 'model') return error;
  const path = speech_models?.length ? 'speech_models' : 'speech_model';
  const details = error.details.map((detail) => ({ ...detail, path }));
  return new AppError(error.code, error.message.replace(/^model(?=:)/, path), { details, cause: error });
};

const addTranscriptRoutes = (server: FastifyInstance, deps: AssemblyAiDeps): void => {
  const { transcripts, files, pagination, baseUrl } = deps;
  addRoute(server, routes.aaiCreate, ({ caller, body }) => {
    const request = validate(CreateTranscript, requestOf(body, deps.models), 'body');
    try {
      const created = transcripts.create(caller.user, request, undefined, foreignRequestOf(body));
      return ok(readOutline(deps, caller.user.id, created.id));
    } catch (error) {
      throw aboutSpeechModel(error, body);
    }
  });
  addRoute(server, routes.aaiGet, async ({ caller, params, reply }) => {
    const context = contextOf(deps, caller.user.id, params.id);
    await deps.renderings.send(reply, caller.user.id, params.id, { kind: 'aaiTranscript', context });
    return undefined;
  });
  addRoute(server, routes.aaiList, ({ caller, query, request }) =>
    ok(aaiList(pagination, caller.user.id, query, `${baseUrl()}${request.url}`)),
  );
  addRoute(server, routes.aaiDelete, async ({ caller, params }) => {
    const transcript = readOutline(deps, caller.user.id, params.id);
    const { fileId } = transcripts.stored(caller.user.id, params.id);
    await transcripts.remove(caller.user.id, params.id);
    if (fileId !== null) await files.removeUnused(fileId, FOLDER);
    return ok(aaiDeleted(transcript));
  });
};

const addReadingRoutes = (server: FastifyInstance, deps: AssemblyAiDeps): void => {
  type Request = {
    readonly caller: Caller;
    readonly params: { readonly id: string };
    readonly reply: FastifyReply;
  };
  const send = async (
    { caller, params: { id }, reply }: Request,
    rendering: Rendering,
  ): Promise<undefined> => {
    requireCompleted(deps, caller.user.id, id);
    await deps.renderings.send(reply, caller.user.id, id, rendering);
  };
  addRoute(server, routes.aaiSentences, (call) => send(call, { kind: 'aaiSentences' }));
  addRoute(server, routes.aaiParagraphs, (call) => send(call, { kind: 'aaiParagraphs' }));
  addRoute(server, routes.aaiSrt, (call) =>
    send(call, { kind: 'aaiSubtitles', format: 'srt', query: call.query }),
  );
  addRoute(server, routes.aaiVtt, (call) =>
    send(call, { kind: 'aaiSubtitles', format: 'vtt', query: call.query }),
  );
  addRoute(server, routes.aaiWordSearch, (call) =>
    send(call, { kind: 'aaiWordSearch', words: call.query.words }),
  );
  addRoute(server, routes.aaiRedactedAudio, ({ caller, params }) => {
    requireCompleted(deps, caller.user.id, params.id);
    const { transcription } = deps.transcripts.outline(caller.user.id, params.id, 'finished');
    if (transcription.redacted_audio_url === undefined) {
      throw new AppError(
        'not_available',
        'This transcription has no redacted audio: ask for it with redact_pii_audio.',
      );
    }
    // Their client fetches it without a key.
    const { url } = deps.audio.signedUrl(caller.user.id, params.id);
    return ok({ redacted_audio_url: url, status: 'redacted_audio_ready' as const });
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
    addUploadRoute(scope, deps);
  });
};
