import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { Files } from '../../services/files/create.ts';
import { presentFile, presentInformation } from '../../services/files/present.ts';
import { importFile, listExports } from '../../services/files/transfer.ts';
import { verifyFiles } from '../../services/files/verify.ts';
import { addRoute } from '../add-route.ts';
import { created, ok, success } from '../responses.ts';
import { addDownloadRoutes, PRIVATE, sendStored } from './storage/downloads.ts';
import { receiveForm } from './storage/upload-form.ts';

/** What `earshot storage` does: the owner's maintenance of all users' files. */
const addMaintenanceRoutes = (server: FastifyInstance, files: Files): void => {
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

const addFileRoutes = (server: FastifyInstance, { service, presign, baseUrl }: Files): void => {
  addRoute(server, routes.getFile, ({ caller, params }) =>
    ok(success(presentInformation(service.requireOwn(caller.user.id, params.fileKey), baseUrl()))),
  );
  addRoute(server, routes.fileLinks, ({ caller, params }) =>
    ok(success(service.links(caller.user.id, params.fileKey))),
  );
  addRoute(server, routes.patchFile, ({ caller, params, body }) =>
    ok(success({ file: presentFile(service.change(caller.user.id, params.fileKey, body), baseUrl()) })),
  );
  addRoute(server, routes.deleteFile, async ({ caller, params }) => {
    const data = await service.remove(caller.user.id, params.fileKey);
    return ok({ ...success(data), message: 'The file is deleted.' });
  });
  addRoute(server, routes.listFiles, ({ caller, query }) => ok(success(service.list(caller.user.id, query))));
  addRoute(server, routes.storageInfo, ({ caller }) => ok(success(service.usage(caller.user.id))));
  addRoute(server, routes.presignUpload, ({ caller, body }) => {
    const { filename, contentType, fileSize, folder, metadata } = body;
    const data = presign.create({
      userId: caller.user.id,
      fileName: filename,
      declaredType: contentType,
      fileSize,
      folder,
      public: body.public,
      metadata,
      purpose: body.purpose,
    });
    return ok(success(data));
  });
  addRoute(server, routes.downloadUrl, ({ caller, params, query }) =>
    ok(success(presign.downloadUrl(service.requireOwn(caller.user.id, params.fileKey), query.expires))),
  );
};

const addCorsRoutes = (server: FastifyInstance, { cors }: Files): void => {
  addRoute(server, routes.configureCors, ({ caller, body }) =>
    ok({ ...success(cors.configure(caller.user.id, body)), message: 'The CORS configuration is in force.' }),
  );
  addRoute(server, routes.corsConfig, ({ caller }) => ok(success(cors.read(caller.user.id))));
};

const addUploadRoute = (server: FastifyInstance, { uploads, baseUrl }: Files): void => {
  addRoute(server, routes.uploadFile, async ({ caller, request }) => {
    const { upload, properties } = await receiveForm(request, uploads, caller.user.id);
    const { file, info } = await upload.commit(properties);
    return created(success({ file: presentFile(file, baseUrl()), upload_info: info }));
  });
};

const addPresignedRoute = (server: FastifyInstance, { presign, baseUrl }: Files): void => {
  addRoute(server, routes.putPresigned, async ({ params, request }) => {
    const length = request.headers['content-length'];
    const file = await presign.put({
      token: params.token,
      contentType: request.headers['content-type'] ?? '',
      // Keep the connection open after a refusal: it carries the answer.
      source: request.raw.iterator({ destroyOnReturn: false }),
      expectedBytes: length === undefined ? undefined : Number(length),
    });
    return ok(success(presentInformation(file, baseUrl())));
  });
};

const addRecordingRoutes = (server: FastifyInstance, { recordings, baseUrl }: Files): void => {
  addRoute(server, routes.startRecording, async ({ caller, body }) => {
    const { filename, contentType, folder, metadata, timeoutSeconds } = body;
    const data = await recordings.start({
      userId: caller.user.id,
      fileName: filename,
      declaredType: contentType,
      folder,
      metadata,
      timeoutSeconds,
    });
    return created(success(data));
  });
  addRoute(server, routes.getRecording, ({ caller, params }) =>
    ok(success(recordings.get(caller.user.id, params.id))),
  );
  addRoute(server, routes.finishRecording, async ({ caller, params, body }) => {
    const file = await recordings.finish(caller.user.id, params.id, body.interrupted);
    return ok(success({ file: presentFile(file, baseUrl()) }));
  });
  addRoute(server, routes.discardRecording, async ({ caller, params }) =>
    ok(success(await recordings.discard(caller.user.id, params.id))),
  );
};

const addChunkRoute = (server: FastifyInstance, { recordings }: Files): void => {
  addRoute(server, routes.appendRecording, async ({ caller, params, query, request }) => {
    const chunk = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    return ok(success(await recordings.append(caller.user.id, params.id, query.offset, chunk)));
  });
};

/** `/v1/storage` and `/cdn`. Each kind of upload has a scope of its own, in which bodies are streams. */
export const addStorageRoutes = async (server: FastifyInstance, files: Files): Promise<void> => {
  addFileRoutes(server, files);
  addCorsRoutes(server, files);
  addDownloadRoutes(server, files);
  addMaintenanceRoutes(server, files);
  addRecordingRoutes(server, files);
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    addChunkRoute(scope, files);
  });
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The upload service refuses files that are too large, with a sentence.
    await scope.register(multipart, { throwFileSizeLimit: false });
    addUploadRoute(scope, files);
  });
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Leave the body of any type unread: the handler streams it.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    addPresignedRoute(scope, files);
  });
};
