import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { Files } from '../../services/files/create.ts';
import { presentFile, presentInformation } from '../../services/files/present.ts';
import { created, ok, success } from '../answers.ts';
import { implement } from '../implement.ts';
import { downloadRoutes } from './storage/downloads.ts';
import { lingerAfterRefusal } from './storage/linger.ts';
import { receiveForm } from './storage/multipart.ts';

const fileRoutes = (server: FastifyInstance, { service, presign, baseUrl }: Files): void => {
  implement(server, routes.getFile, ({ caller, params }) =>
    ok(success(presentInformation(service.requireOwn(caller.user.id, params.fileKey), baseUrl()))),
  );
  implement(server, routes.patchFile, ({ caller, params, body }) =>
    ok(success({ file: presentFile(service.change(caller.user.id, params.fileKey, body), baseUrl()) })),
  );
  implement(server, routes.deleteFile, async ({ caller, params }) => {
    const data = await service.remove(caller.user.id, params.fileKey);
    return ok({ ...success(data), message: 'The file is deleted.' });
  });
  implement(server, routes.listFiles, ({ caller, query }) =>
    ok(success(service.list(caller.user.id, query))),
  );
  implement(server, routes.storageInfo, ({ caller }) => ok(success(service.usage(caller.user.id))));
  implement(server, routes.presignUpload, ({ caller, body }) => {
    const { filename, contentType, fileSize, folder, metadata } = body;
    const data = presign.create({
      userId: caller.user.id,
      fileName: filename,
      declaredType: contentType,
      fileSize,
      folder,
      public: body.public,
      metadata,
    });
    return ok(success(data));
  });
  implement(server, routes.downloadUrl, ({ caller, params, query }) =>
    ok(success(presign.downloadUrl(service.requireOwn(caller.user.id, params.fileKey), query.expires))),
  );
};

const corsRoutes = (server: FastifyInstance, { cors }: Files): void => {
  implement(server, routes.configureCors, ({ caller, body }) =>
    ok({ ...success(cors.configure(caller.user.id, body)), message: 'The CORS configuration is in force.' }),
  );
  implement(server, routes.corsConfig, ({ caller }) => ok(success(cors.read(caller.user.id))));
};

const uploadRoute = (server: FastifyInstance, { service, baseUrl }: Files): void => {
  implement(server, routes.uploadFile, async ({ caller, request }) => {
    const { intake, plan } = await receiveForm(request, service, caller.user.id);
    const { row, info } = await service.finish(intake, plan);
    return created(success({ file: presentFile(row, baseUrl()), upload_info: info }));
  });
};

const presignedRoute = (server: FastifyInstance, { presign, baseUrl }: Files): void => {
  implement(server, routes.putPresigned, async ({ params, request }) => {
    const length = request.headers['content-length'];
    const row = await presign.put({
      token: params.token,
      contentType: request.headers['content-type'] ?? '',
      // The connection must outlive a refusal, to carry the answer.
      source: request.raw.iterator({ destroyOnReturn: false }),
      expectedBytes: length === undefined ? undefined : Number(length),
    });
    return ok(success(presentInformation(row, baseUrl())));
  });
};

/** Everything under `/v1/storage`, and `/cdn`. Uploads are read as streams, each form in a scope of its own. */
export const storageResources = async (server: FastifyInstance, files: Files): Promise<void> => {
  fileRoutes(server, files);
  corsRoutes(server, files);
  downloadRoutes(server, files);
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The service refuses what is too large, with a sentence.
    await scope.register(multipart, { throwFileSizeLimit: false });
    scope.addHook('onSend', async (request, reply) => lingerAfterRefusal(request, reply));
    uploadRoute(scope, files);
  });
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The body is left unread for the handler, whatever type it says it is.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onSend', async (request, reply) => lingerAfterRefusal(request, reply));
    presignedRoute(scope, files);
  });
};
