import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { type LanguageModelDeps, tryLanguageModel } from '../../services/language-model.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `POST /v1/language-model/try` */
export const addLanguageModelRoutes = (server: FastifyInstance, deps: LanguageModelDeps): void => {
  addRoute(server, routes.tryLanguageModel, async () => ok(success(await tryLanguageModel(deps))));
};
