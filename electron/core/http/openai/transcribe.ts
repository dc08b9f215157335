import type { FastifyReply } from 'fastify';
import type { JobError } from '../../../contract/job.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import type { AppError } from '../../base/errors.ts';
import type { Caller } from '../../services/accounts.ts';
import type { EventHub } from '../../services/events.ts';
import type { ModelService } from '../../services/models/index.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import type { Rendered } from '../long/rendering.ts';
import type { Renderings } from '../long/renderings.ts';
import { disconnectSignal } from '../open-streams.ts';
import { errorOfJob, isRefusal } from './errors.ts';
import type { UploadedFiles } from './form.ts';
import { type Form, isModel, type Recordings, requestOf, type Task } from './request.ts';
import type { TextParts } from './responses.ts';
import { OpenAiStream } from './stream.ts';

export type OpenAiDeps = UploadedFiles & {
  readonly transcripts: TranscriptService;
  readonly events: EventHub;
  readonly models: ModelService;
  readonly renderings: Renderings;
};

export type AudioRequest = {
  readonly user: Caller['user'];
  readonly reply: FastifyReply;
  readonly form: Form;
  readonly task: Task;
};

/** Waits for the transcription. It is cancelled when the client disconnects: no one could fetch it later. */
export const waitForEnd = async (
  { transcripts }: OpenAiDeps,
  { user, reply }: Pick<AudioRequest, 'user' | 'reply'>,
  id: string,
): Promise<Transcription> => {
  const outline = () => transcripts.outline(user.id, id, 'asked').transcription;
  await transcripts.wait(id, disconnectSignal(reply));
  if (outline().status === 'processing') await transcripts.cancel(user.id, id);
  return outline();
};

/** What the answer has besides the text. */
const textParts = (form: Form): TextParts => ({
  languages: isModel(form, 'gpt-transcribe'),
  logprobs: form.include?.includes('logprobs') === true,
});

const create = ({ models, transcripts }: OpenAiDeps, request: AudioRequest, recordings: Recordings) => {
  const { user, form, task } = request;
  return transcripts.create(user, requestOf(models, recordings, form, task), undefined);
};

/** The error of the request whose job failed. One that refuses the recording leaves no transcription behind. */
const failureOf = async (
  { transcripts }: OpenAiDeps,
  { user }: AudioRequest,
  { id, error }: { readonly id: string; readonly error: JobError },
): Promise<AppError> => {
  if (isRefusal(error)) await transcripts.remove(user.id, id);
  return errorOfJob(error);
};

const runStreamed = async (
  deps: OpenAiDeps,
  request: AudioRequest,
  recordings: Recordings,
): Promise<undefined> => {
  const { events, renderings } = deps;
  const { user, reply, form } = request;
  const created = create(deps, request, recordings);
  const parts = { ...textParts(form), segments: form.response_format === 'diarized_json' };
  const stream = new OpenAiStream(reply, parts);
  stream.open();
  const stop = stream.follow(events, user.id, created.id);
  try {
    const { error } = await waitForEnd(deps, request, created.id);
    if (error !== undefined) stream.fail(await failureOf(deps, request, { id: created.id, error }));
    else {
      const { seen } = stream;
      stream.end(await renderings.text(user.id, created.id, { kind: 'openAiStreamEnd', seen, parts }));
    }
  } finally {
    stop();
  }
};

/** Transcribes a stored recording. Returns the answer; undefined if it was streamed. */
export const transcribe = async (
  deps: OpenAiDeps,
  request: AudioRequest,
  recordings: Recordings,
): Promise<Rendered | undefined> => {
  if (request.form.stream === true) return runStreamed(deps, request, recordings);
  const { user, form, task } = request;
  const { id } = create(deps, request, recordings);
  const { error } = await waitForEnd(deps, request, id);
  if (error !== undefined) throw await failureOf(deps, request, { id, error });
  const { response_format: format = 'json', timestamp_granularities = ['segment'] } = form;
  const granularities =
    form.word_timestamps === true ? [...timestamp_granularities, 'word' as const] : timestamp_granularities;
  const rendering = { kind: 'openAi', task, format, granularities, parts: textParts(form) } as const;
  return deps.renderings.render(user.id, id, rendering);
};
