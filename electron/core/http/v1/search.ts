import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { SearchService } from '../../services/search.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `GET /v1/search`: full text over the caller's transcriptions. */
export const addSearchRoutes = (server: FastifyInstance, search: SearchService): void => {
  addRoute(server, routes.searchTranscripts, ({ caller, query }) =>
    ok(success(search.search(caller.user.id, query.q, query.page, query.limit))),
  );
};
