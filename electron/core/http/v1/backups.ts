import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { BackupService } from '../../services/backups.ts';
import { addRoute } from '../add-route.ts';
import { created, ok, success } from '../responses.ts';

/** The copies of the database. */
export const addBackupRoutes = (server: FastifyInstance, backups: BackupService): void => {
  addRoute(server, routes.listBackups, () => ok(success(backups.list())));
  addRoute(server, routes.createBackup, async () => created(success(await backups.create())));
};
