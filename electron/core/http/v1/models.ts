import type { FastifyInstance } from 'fastify';
import { MODEL_ALIASES } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Model } from '../../../contract/system.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { round } from '../../base/numbers.ts';
import type { ModelService } from '../../services/models/index.ts';
import { addRoute } from '../add-route.ts';
import { OPENAI_MODELS } from '../openai/request.ts';
import { ok, success } from '../responses.ts';

/** Converts codes of failed jobs: here the caller's own input caused the error. */
const toRequestError = (error: unknown): unknown => {
  if (!isAppError(error)) return error;
  if (error.code === 'model_invalid') {
    return new AppError('content_mismatch', error.message, { cause: error });
  }
  if (error.code === 'model_not_installed') {
    return new AppError('model_not_found', error.message, { cause: error });
  }
  return error;
};

const withRequestErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw toRequestError(error);
  }
};

const openAiModel = (model: Model) => ({
  ...model,
  object: 'model' as const,
  created: 0,
  owned_by: 'earshot',
});

/** Installed recognizers, and the other names by which requests can name one. */
const usable = (models: ModelService): Model[] => {
  const isRecognizer = ({ installed, kind }: Model) =>
    installed && (kind === 'whisper' || kind === 'parakeet');
  const names = [
    ...MODEL_ALIASES.map((alias): [string, string] => [alias, alias]),
    ...Object.entries(OPENAI_MODELS),
  ];
  return [
    ...models.list().filter(isRecognizer),
    ...names
      .filter(([, alias]) => models.isAvailable(alias))
      .map(([id, alias]) => ({ ...models.get(models.answering(alias)), id, aliases: [] })),
  ];
};

/** `/v1/models`: lists, installs, imports, benchmarks and removes models. */
export const addModelRoutes = async (server: FastifyInstance, models: ModelService): Promise<void> => {
  addRoute(server, routes.listModels, ({ query }) => {
    const listed = query.catalog ? models.list() : usable(models);
    return ok({ object: 'list' as const, ...success(listed.map(openAiModel)) });
  });
  addRoute(server, routes.getModel, ({ params }) => {
    const id = models.answering(models.published(OPENAI_MODELS[params.id] ?? params.id));
    return ok(openAiModel({ ...models.get(id), id: params.id }));
  });
  addRoute(server, routes.installModel, async ({ params }) => {
    const { started, model } = await models.install(params.id);
    return { status: started ? (202 as const) : (200 as const), body: success(model) };
  });
  addRoute(server, routes.pauseModel, async ({ params }) => ok(success(await models.pause(params.id))));
  addRoute(server, routes.removeModel, async ({ params }) =>
    ok({ success: true as const, message: await models.remove(params.id) }),
  );
  addRoute(server, routes.importModel, async ({ body }) => ({
    status: 201 as const,
    body: success(await withRequestErrors(models.import(body.path, body.id))),
  }));
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Leave the body unread: the service streams it to the disk.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    addRoute(scope, routes.uploadModel, async ({ query, request }) => {
      const length = Number(request.headers['content-length'] ?? 0);
      const model = models.importUpload({ ...query, length, body: request.raw });
      return { status: 201 as const, body: success(await withRequestErrors(model)) };
    });
  });
  addRoute(server, routes.benchmarkModel, async ({ params }) => {
    const { id, seconds, elapsed, speed } = await withRequestErrors(models.benchmark(params.id));
    return ok(
      success({ id, seconds: round(seconds, 3), elapsed: round(elapsed, 3), speed: round(speed, 2) }),
    );
  });
};
