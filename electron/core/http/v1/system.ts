import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { SystemService } from '../../services/system.ts';
import { addRoute } from '../add-route.ts';
import type { RequestLog } from '../request-log.ts';
import { ok, success } from '../responses.ts';

export type SystemDeps = {
  readonly db: { readonly isDamaged: boolean };
  readonly engine: { readonly isStalled: boolean };
  readonly system: SystemService;
  readonly requestLog: RequestLog;
  readonly version: string;
};

/** Health, facts about the system, and the request log. */
export const addSystemRoutes = (server: FastifyInstance, deps: SystemDeps): void => {
  const { db, engine, system, requestLog, version } = deps;
  const status = () => {
    if (db.isDamaged) return 'damaged';
    return engine.isStalled ? 'engine_stalled' : 'ok';
  };
  addRoute(server, routes.health, () =>
    ok({
      status: status(),
      version,
      uptime: system.uptime(),
    }),
  );
  addRoute(server, routes.system, async () => ok(success(await system.describe())));
  addRoute(server, routes.diskUsage, async () => ok(success(await system.diskUsage())));
  addRoute(server, routes.listRequests, () => ok(success(requestLog.list())));
};
