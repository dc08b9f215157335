import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  OpenAiTranscriptionForm,
  OpenAiTranslationForm,
  type OpenAiVerbose,
} from '../../../contract/compat/openai.ts';
import { routes } from '../../../contract/routes.ts';
import { CreateTranscript, PROMPT_LENGTH, type Transcription } from '../../../contract/transcript.ts';
import type { Caller } from '../../services/accounts.ts';
import type { EventHub } from '../../services/events.ts';
import type { StoredFile } from '../../services/files/service.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { addRoute } from '../add-route.ts';
import { lingerAfterRefusal } from '../lingering-close.ts';
import { ok } from '../responses.ts';
import { validate } from '../validate.ts';
import { errorOfJob } from './errors.ts';
import { readOpenAiForm, type UploadedFiles } from './form.ts';
import { openAiDiarized, openAiSubtitles, openAiText, openAiVerbose } from './responses.ts';
import { OpenAiStream } from './stream.ts';

export type OpenAiDeps = UploadedFiles & {
  readonly transcripts: TranscriptService;
  readonly events: EventHub;
};

type Task = OpenAiVerbose['task'];
type Form = Pick<OpenAiTranscriptionForm, 'model' | 'prompt'> & Partial<OpenAiTranscriptionForm>;
type Job = {
  readonly user: Caller['user'];
  readonly reply: FastifyReply;
  readonly form: Form;
  readonly task: Task;
};

/** The creation that a form asks for. */
const creationOf = (file: StoredFile, form: Form, task: Task): CreateTranscript =>
  // What does not go together, as a model for English and another language, is refused here as everywhere.
  validate(
    CreateTranscript,
    {
      audio_url: `storage:${file.key}`,
      name: file.originalName,
      model: form.model === 'whisper-1' ? 'mini' : form.model,
      language: form.language ?? 'auto',
      timestamp_style: 'word',
      diarize: form.response_format === 'diarized_json',
      translate: task === 'translate',
      ...(form.prompt === undefined || form.prompt === ''
        ? {}
        : // Of a longer one its end counts, as in Whisper: it stands for the text that came before.
          { prompt: form.prompt.slice(-PROMPT_LENGTH).toWellFormed() }),
    },
    'form',
  );

/** Fires when the client goes away before it was answered. */
const goneSignal = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
};

/** Waits for the end. Nobody can ask for this transcription later: when the client goes away, it is stopped. */
const finish = async (
  { transcripts }: OpenAiDeps,
  { user, reply }: Job,
  id: string,
): Promise<Transcription> => {
  const transcript = await transcripts.wait(user.id, id, goneSignal(reply));
  return transcript.status === 'processing' ? transcripts.cancel(user.id, id) : transcript;
};

const jsonAnswer = (transcript: Transcription, { form, task }: Job) => {
  if (form.response_format === 'verbose_json') {
    return openAiVerbose(transcript, task, form.timestamp_granularities ?? ['segment']);
  }
  return form.response_format === 'diarized_json' ? openAiDiarized(transcript) : openAiText(transcript);
};

/** The answer in the form that was asked for; undefined when it is sent already. */
const answer = async (transcript: Transcription, job: Job) => {
  const { reply, form } = job;
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
      return ok(jsonAnswer(transcript, job));
  }
};

const runStreamed = async (resources: OpenAiDeps, job: Job, file: StoredFile): Promise<undefined> => {
  const { transcripts, events } = resources;
  const { user, reply, form, task } = job;
  const row = transcripts.create(user, creationOf(file, form, task), undefined);
  const stream = new OpenAiStream(reply);
  stream.open();
  const stop = stream.follow(events, user.id, row.id);
  try {
    stream.end(await finish(resources, job, row.id));
  } finally {
    stop();
  }
};

const run = async (resources: OpenAiDeps, job: Job, file: StoredFile) => {
  if (job.form.stream === true) return runStreamed(resources, job, file);
  const row = resources.transcripts.create(job.user, creationOf(file, job.form, job.task), undefined);
  const transcript = await finish(resources, job, row.id);
  if (transcript.error !== undefined) throw errorOfJob(transcript.error);
  return answer(transcript, job);
};

const addAudioRoute = (server: FastifyInstance, resources: OpenAiDeps, task: Task): void => {
  const { files } = resources;
  const definition = task === 'transcribe' ? routes.openAiTranscribe : routes.openAiTranslate;
  const schema = task === 'transcribe' ? OpenAiTranscriptionForm : OpenAiTranslationForm;
  addRoute(server, definition, async ({ caller, request, reply }) => {
    const { user } = caller;
    const { file, fields } = await readOpenAiForm(request, resources, user);
    try {
      const form: Form = validate(schema, fields, 'form');
      return await run(resources, { user, reply, form, task }, file);
    } finally {
      // The upload was for this answer alone.
      await files.remove(user.id, file.key);
    }
  });
};

/** `/v1/audio/*` in the form of OpenAI's API. */
export const addOpenAiRoutes = async (server: FastifyInstance, resources: OpenAiDeps): Promise<void> => {
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, { throwFileSizeLimit: false });
    // Whatever else comes is refused by the handler with a sentence.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onError', async (request, reply) => lingerAfterRefusal(request, reply));
    addAudioRoute(scope, resources, 'transcribe');
    addAudioRoute(scope, resources, 'translate');
  });
};
