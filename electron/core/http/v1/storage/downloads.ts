import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routes } from '../../../../contract/routes.ts';
import { AppError } from '../../../base/errors.ts';
import type { Files } from '../../../services/files/create.ts';
import { etagOf } from '../../../services/files/present.ts';
import { fileNotFound, type StoredFile } from '../../../services/files/service.ts';
import { addRoute } from '../../add-route.ts';
import { sendFile } from '../../send-file.ts';

/** Keeps scripts in stored HTML, SVG and XML from running in this server's origin. */
const SANDBOX = { 'content-security-policy': "sandbox; default-src 'none'" } as const;

type Presentation = { readonly inline: boolean; readonly cacheControl: string };

export const sendStored = async (
  { service }: Files,
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  { inline, cacheControl }: Presentation,
): Promise<undefined> => {
  const isActive = service.isActive(file);
  await sendFile(request, reply, {
    source: service.source(file),
    etag: etagOf(file),
    lastModified: file.modifiedAt,
    contentType: file.mimeType,
    disposition: { type: inline && !isActive ? 'inline' : 'attachment', name: file.originalName },
    cacheControl,
    headers: isActive ? SANDBOX : {},
  });
};

export const PRIVATE = 'private, no-cache';
const PUBLIC = 'public, max-age=300';

/** The bytes of stored files: by key, by signed URL, and by the direct URL of a public file. */
export const addDownloadRoutes = (server: FastifyInstance, files: Files): void => {
  const { service, presign } = files;

  addRoute(server, routes.downloadFile, ({ params, query, request, reply }) => {
    const own =
      request.caller === undefined ? undefined : service.ownFile(request.caller.user.id, params.fileKey);
    const file = own ?? service.publicFile(params.fileKey);
    // Without an API key, nobody learns whether a private file exists.
    if (file === undefined && request.caller === undefined) {
      throw new AppError('unauthorized', 'An API key is needed: send it as `Authorization: Bearer <key>`.');
    }
    if (file === undefined) throw fileNotFound();
    return sendStored(files, request, reply, file, { inline: query.inline ?? false, cacheControl: PRIVATE });
  });

  addRoute(server, routes.getPresigned, ({ params, query, request, reply }) =>
    sendStored(files, request, reply, presign.fileOf(params.token), {
      inline: query.inline ?? true,
      cacheControl: PRIVATE,
    }),
  );

  addRoute(server, routes.directFile, ({ params, query, request, reply }) => {
    const file = service.publicFile(params.fileKey);
    if (file === undefined) throw fileNotFound();
    return sendStored(files, request, reply, file, { inline: query.inline ?? true, cacheControl: PUBLIC });
  });
};
