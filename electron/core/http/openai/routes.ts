import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { OpenAiTranscriptionForm, OpenAiTranslationForm } from '../../../contract/openai.ts';
import { routes } from '../../../contract/routes.ts';
import { addRoute, validate } from '../add-route.ts';
import { sendRendered } from '../long/renderings.ts';
import { readOpenAiForm, withSamples } from './form.ts';
import { checkCombination, type Form, type Task } from './request.ts';
import { type OpenAiDeps, transcribe } from './transcribe.ts';

const addAudioRoute = (server: FastifyInstance, deps: OpenAiDeps, task: Task): void => {
  const { files } = deps;
  const definition = task === 'transcribe' ? routes.openAiTranscribe : routes.openAiTranslate;
  const schema = task === 'transcribe' ? OpenAiTranscriptionForm : OpenAiTranslationForm;
  addRoute(server, definition, async ({ caller, request, reply }) => {
    const { user } = caller;
    const { file, fields } = await readOpenAiForm(request, deps, user);
    const answer = async () => {
      const form: Form = validate(schema, fields, 'form');
      checkCombination(form);
      return withSamples(deps, user, form.known_speaker_references ?? [], (samples) =>
        transcribe(
          deps,
          { user, reply, form, task: form.task === 'translate' ? form.task : task },
          { file, samples },
        ),
      );
    };
    // The file was stored for this request only, and is gone when the client has its answer.
    const rendered = await answer().finally(() => files.remove(user.id, file.key));
    if (rendered !== undefined) await sendRendered(reply, rendered);
    return undefined;
  });
};

/** `/v1/audio/*` in the form of OpenAI's API. */
export const addOpenAiRoutes = async (server: FastifyInstance, deps: OpenAiDeps): Promise<void> => {
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, { throwFileSizeLimit: false });
    // The handler refuses other types, with a sentence.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    addAudioRoute(scope, deps, 'transcribe');
    addAudioRoute(scope, deps, 'translate');
  });
};
