import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { NetworkService } from '../../services/network.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `GET /v1/network`: the connection log. */
export const addNetworkRoutes = (server: FastifyInstance, network: NetworkService): void => {
  addRoute(server, routes.listConnections, ({ query }) => ok(success(network.list(query.limit))));
};
