import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { QueueService } from '../../services/queue.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `/v1/queue`: the jobs that wait or run, their order, and the pause switch. */
export const addQueueRoutes = (server: FastifyInstance, queue: QueueService): void => {
  addRoute(server, routes.getQueue, ({ caller }) => ok(success(queue.list(caller.user.id))));
  addRoute(server, routes.pauseQueue, ({ caller }) => {
    queue.setPaused(true);
    return ok(success(queue.list(caller.user.id)));
  });
  addRoute(server, routes.resumeQueue, ({ caller }) => {
    queue.setPaused(false);
    return ok(success(queue.list(caller.user.id)));
  });
  addRoute(server, routes.moveInQueue, ({ caller, params, body }) => {
    queue.move(caller.user.id, params.id, body.position);
    return ok(success(queue.list(caller.user.id)));
  });
};
