import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { NetworkService } from '../../services/network.ts';
import { ok, success } from '../answers.ts';
import { implement } from '../implement.ts';

/** `GET /v1/network`: what left this machine. */
export const networkResources = (server: FastifyInstance, network: NetworkService): void => {
  implement(server, routes.listConnections, ({ query }) => ok(success(network.list(query.limit))));
};
