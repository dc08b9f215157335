import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { ModelService } from '../../services/models/index.ts';
import type { SystemService } from '../../services/system.ts';
import { ok, success } from '../answers.ts';
import { implement } from '../implement.ts';
import type { RequestLog } from '../request-log.ts';

export type SystemResources = {
  readonly system: SystemService;
  readonly models: ModelService;
  readonly requestLog: RequestLog;
  readonly version: string;
};

/** Health, system facts, models, the request log. */
export const systemResources = (server: FastifyInstance, resources: SystemResources): void => {
  const { system, models, requestLog, version } = resources;
  implement(server, routes.health, () => ok({ status: 'ok' as const, version, uptime: system.uptime() }));
  implement(server, routes.system, async () => ok(success(await system.describe())));
  implement(server, routes.listModels, () =>
    ok({
      object: 'list' as const,
      ...success(
        models
          .list()
          .map((model) => ({ ...model, object: 'model' as const, created: 0, owned_by: 'earshot' })),
      ),
    }),
  );
  implement(server, routes.listRequests, () => ok(success(requestLog.list())));
};
