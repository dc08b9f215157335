import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { WebhookService } from '../../services/webhooks.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** The deliveries of webhooks, and a test delivery. */
export const addWebhookRoutes = (server: FastifyInstance, webhooks: WebhookService): void => {
  addRoute(server, routes.listDeliveries, ({ caller, params }) =>
    ok(success(webhooks.list(caller.user.id, params.id))),
  );
  addRoute(server, routes.recentDeliveries, ({ caller, query }) =>
    ok(success(webhooks.recent(caller.user.id, query.limit))),
  );
  addRoute(server, routes.testDelivery, async ({ caller, params }) =>
    ok(success(await webhooks.test(caller.user.id, params.id))),
  );
};
