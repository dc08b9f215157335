import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { OpenAiTranscriptionForm, OpenAiTranslationForm } from '../../../contract/openai.ts';
import { routes } from '../../../contract/routes.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import type { Caller } from '../../services/accounts.ts';
import type { EventHub } from '../../services/events.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute } from '../add-route.ts';
import { disconnectSignal } from '../disconnect-signal.ts';
import { closeAfterRefusal } from '../lingering-close.ts';
import { ok } from '../responses.ts';
import { validate } from '../validate.ts';
import { errorOfJob } from './errors.ts';
import { readOpenAiForm, type UploadedFiles, withSamples } from './form.ts';
import { checkCombination, type Form, isModel, type Recordings, requestOf, type Task } from './request.ts';
import { openAiDiarized, openAiSubtitles, openAiText, openAiVerbose, type TextParts } from './responses.ts';
import { OpenAiStream } from './stream.ts';

export type OpenAiDeps = UploadedFiles & {
  readonly transcripts: TranscriptService;
  readonly events: EventHub;
};

type AudioRequest = {
  readonly user: Caller['user'];
  readonly reply: FastifyReply;
  readonly form: Form;
  readonly task: Task;
};

/** Waits for the transcription. It is cancelled when the client disconnects: nobody could fetch it later. */
const waitForEnd = async (
  { transcripts }: OpenAiDeps,
  { user, reply }: AudioRequest,
  id: string,
): Promise<Transcription> => {
  await transcripts.wait(id, disconnectSignal(reply));
  const transcript = transcripts.get(user.id, id);
  return transcript.status === 'processing' ? transcripts.cancel(user.id, id) : transcript;
};

/** What the answer has besides the text. */
const textParts = (form: Form): TextParts => ({
  languages: isModel(form, 'gpt-transcribe'),
  logprobs: form.include?.includes('logprobs') === true,
});

const jsonAnswer = (transcript: Transcription, { form, task }: AudioRequest) => {
  if (form.response_format === 'verbose_json') {
    return openAiVerbose(transcript, task, form.timestamp_granularities ?? ['segment']);
  }
  if (form.response_format === 'diarized_json') return openAiDiarized(transcript);
  return openAiText(transcript, textParts(form));
};

/** The answer in the requested format; undefined when it was sent here. */
const answer = async (transcript: Transcription, request: AudioRequest) => {
  const { reply, form } = request;
  switch (form.response_format) {
    case 'text':
      await reply.type('text/plain; charset=utf-8').send(`${transcript.text}\n`);
      return undefined;
    case 'srt':
      await reply.type('application/x-subrip; charset=utf-8').send(openAiSubtitles(transcript, 'srt'));
      return undefined;
    case 'vtt':
      await reply.type('text/vtt; charset=utf-8').send(openAiSubtitles(transcript, 'vtt'));
      return undefined;
    default:
      return ok(jsonAnswer(transcript, request));
  }
};

const runStreamed = async (
  deps: OpenAiDeps,
  request: AudioRequest,
  recordings: Recordings,
): Promise<undefined> => {
  const { transcripts, events } = deps;
  const { user, reply, form, task } = request;
  const created = transcripts.create(user, requestOf(recordings, form, task), undefined);
  const stream = new OpenAiStream(reply, {
    ...textParts(form),
    segments: form.response_format === 'diarized_json',
  });
  stream.open();
  const stop = stream.follow(events, user.id, created.id);
  try {
    stream.end(await waitForEnd(deps, request, created.id));
  } finally {
    stop();
  }
};

const run = async (deps: OpenAiDeps, request: AudioRequest, recordings: Recordings) => {
  if (request.form.stream === true) return runStreamed(deps, request, recordings);
  const created = deps.transcripts.create(
    request.user,
    requestOf(recordings, request.form, request.task),
    undefined,
  );
  const transcript = await waitForEnd(deps, request, created.id);
  if (transcript.error !== undefined) throw errorOfJob(transcript.error);
  return answer(transcript, request);
};

const addAudioRoute = (server: FastifyInstance, deps: OpenAiDeps, task: Task): void => {
  const { files } = deps;
  const definition = task === 'transcribe' ? routes.openAiTranscribe : routes.openAiTranslate;
  const schema = task === 'transcribe' ? OpenAiTranscriptionForm : OpenAiTranslationForm;
  addRoute(server, definition, async ({ caller, request, reply }) => {
    const { user } = caller;
    const { file, fields } = await readOpenAiForm(request, deps, user);
    try {
      const form: Form = validate(schema, fields, 'form');
      checkCombination(form);
      return await withSamples(deps, user, form.known_speaker_references ?? [], (samples) =>
        run(deps, { user, reply, form, task }, { file, samples }),
      );
    } finally {
      // The file was stored for this request only.
      await files.remove(user.id, file.key);
    }
  });
};

/** `/v1/audio/*` in the form of OpenAI's API. */
export const addOpenAiRoutes = async (server: FastifyInstance, deps: OpenAiDeps): Promise<void> => {
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, { throwFileSizeLimit: false });
    // The handler refuses other types, with a sentence.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onError', async (request, reply) => closeAfterRefusal(request, reply));
    addAudioRoute(scope, deps, 'transcribe');
    addAudioRoute(scope, deps, 'translate');
  });
};
