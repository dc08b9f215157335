import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { checkForUpdate, type UpdateDeps } from '../../services/updates.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `POST /v1/updates/check` */
export const addUpdateRoutes = (server: FastifyInstance, deps: UpdateDeps): void => {
  addRoute(server, routes.checkForUpdate, async () => ok(success(await checkForUpdate(deps))));
};
