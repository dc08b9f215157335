import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { BackupService } from '../../services/backups.ts';
import { type LanguageModelDeps, tryLanguageModel } from '../../services/language-model.ts';
import type { NetworkService } from '../../services/network.ts';
import type { SystemService } from '../../services/system.ts';
import { checkForUpdate, type UpdateDeps } from '../../services/updates.ts';
import { addRoute } from '../add-route.ts';
import { created, ok, type RequestLog, success } from '../responses.ts';

/** The copies of the database. */
export const addBackupRoutes = (server: FastifyInstance, backups: BackupService): void => {
  addRoute(server, routes.listBackups, () => ok(success(backups.list())));
  addRoute(server, routes.createBackup, async () => created(success(await backups.create())));
};

/** `POST /v1/language-model/try` */
export const addLanguageModelRoutes = (server: FastifyInstance, deps: LanguageModelDeps): void => {
  addRoute(server, routes.tryLanguageModel, async () => ok(success(await tryLanguageModel(deps))));
};

/** `GET /v1/network`: the connection log. */
export const addNetworkRoutes = (server: FastifyInstance, network: NetworkService): void => {
  addRoute(server, routes.listConnections, ({ query }) => ok(success(network.list(query.limit))));
};

/** `POST /v1/updates/check` */
export const addUpdateRoutes = (server: FastifyInstance, deps: UpdateDeps): void => {
  addRoute(server, routes.checkForUpdate, async () => ok(success(await checkForUpdate(deps))));
};

type SystemDeps = {
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
