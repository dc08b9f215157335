import type { FastifyInstance } from 'fastify';
import { routes } from '../../../../contract/routes.ts';
import type { Files } from '../../../services/files/create.ts';
import { importFile, listExports } from '../../../services/files/transfer.ts';
import { verifyFiles } from '../../../services/files/verify.ts';
import { addRoute } from '../../add-route.ts';
import { ok, success } from '../../responses.ts';
import { PRIVATE, sendStored } from './downloads.ts';

/** What `earshot storage` does: the owner's maintenance of all users' files. */
export const addMaintenanceRoutes = (server: FastifyInstance, files: Files): void => {
  addRoute(server, routes.verifyFiles, async ({ body }) => ok(success(await verifyFiles(files, body))));
  addRoute(server, routes.listExports, ({ query }) => ok(success(listExports(files, query))));
  addRoute(server, routes.exportFile, ({ params, request, reply }) =>
    sendStored(files, request, reply, files.service.requireAny(params.fileKey), {
      inline: false,
      cacheControl: PRIVATE,
    }),
  );
  addRoute(server, routes.importFile, async ({ body }) =>
    ok(success({ state: await importFile(files, body) })),
  );
};
