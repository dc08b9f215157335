import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { SystemService } from '../../services/system.ts';
import { ok, success } from '../answers.ts';
import { implement } from '../implement.ts';
import type { RequestLog } from '../request-log.ts';

export type SystemResources = {
  readonly system: SystemService;
  readonly requestLog: RequestLog;
  readonly version: string;
};

/** Health, system facts, the request log. */
export const systemResources = (server: FastifyInstance, resources: SystemResources): void => {
  const { system, requestLog, version } = resources;
  implement(server, routes.health, () => ok({ status: 'ok' as const, version, uptime: system.uptime() }));
  implement(server, routes.system, async () => ok(success(await system.describe())));
  implement(server, routes.listRequests, () => ok(success(requestLog.list())));
};
