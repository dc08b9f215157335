import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routes } from '../../../../contract/routes.ts';
import { AppError } from '../../../base/errors.ts';
import type { Files } from '../../../services/files/create.ts';
import { etagOf } from '../../../services/files/present.ts';
import { fileNotFound } from '../../../services/files/service.ts';
import { type FileRow, isActiveType } from '../../../services/files/types.ts';
import { addRoute } from '../../add-route.ts';
import { sendFile } from '../../send-file.ts';

/** Under these headers a stored HTML, SVG or XML cannot run script in this server's origin. */
const SANDBOX = { 'content-security-policy': "sandbox; default-src 'none'" } as const;

type Presentation = { readonly inline: boolean; readonly cacheControl: string };

const sendStored = (
  { service }: Files,
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileRow,
  { inline, cacheControl }: Presentation,
): undefined => {
  const active = isActiveType(file.mime_type);
  sendFile(request, reply, {
    source: service.source(file),
    etag: etagOf(file),
    lastModified: file.modified_at,
    contentType: file.mime_type,
    disposition: { type: inline && !active ? 'inline' : 'attachment', name: file.original_name },
    cacheControl,
    headers: active ? SANDBOX : {},
  });
};

const PRIVATE = 'private, no-cache';
const PUBLIC = 'public, max-age=300';

/** Bytes of stored files: by key, by signed address, and the direct addresses of public ones. */
export const addDownloadRoutes = (server: FastifyInstance, files: Files): void => {
  const { service, presign } = files;

  addRoute(server, routes.downloadFile, ({ params, query, request, reply }) => {
    const own =
      request.caller === undefined ? undefined : service.ownFile(request.caller.user.id, params.fileKey);
    const file = own ?? service.publicFile(params.fileKey);
    // Without a key, a missing file and a private one look the same.
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
