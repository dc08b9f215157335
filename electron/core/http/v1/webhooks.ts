import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { WebhookService } from '../../services/webhooks.ts';
import { ok, success } from '../answers.ts';
import { implement } from '../implement.ts';

/** The log of a transcription's webhook, and a test of it. */
export const webhookResources = (server: FastifyInstance, webhooks: WebhookService): void => {
  implement(server, routes.listDeliveries, ({ caller, params }) =>
    ok(success(webhooks.list(caller.user.id, params.id))),
  );
  implement(server, routes.recentDeliveries, ({ caller, query }) =>
    ok(success(webhooks.recent(caller.user.id, query.limit))),
  );
  implement(server, routes.testDelivery, async ({ caller, params }) =>
    ok(success(await webhooks.test(caller.user.id, params.id))),
  );
};
