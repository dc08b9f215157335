import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { UploadForm, UploadPurpose } from '../../../contract/storage.ts';
import { AppError } from '../../base/errors.ts';
import { allowedOrigin, allowsHeaders, allowsMethod, type CorsRules } from '../../services/files/cors.ts';
import type { Files } from '../../services/files/create.ts';
import {
  etagOf,
  parseFolder,
  parseMetadata,
  presentFile,
  presentInformation,
  userOfKey,
} from '../../services/files/present.ts';
import { fileNotFound, type StoredFile } from '../../services/files/service.ts';
import { importFile, listExports } from '../../services/files/transfer.ts';
import {
  type FileProperties,
  MAX_FILE_BYTES,
  tooLarge,
  type Upload,
  type UploadService,
} from '../../services/files/uploads.ts';
import { verifyFiles } from '../../services/files/verify.ts';
import { addRoute } from '../add-route.ts';
import { invalidField, nextPart, stopParsing, textOf } from '../multipart.ts';
import { created, ok, success } from '../responses.ts';
import { sendFile } from '../send-file.ts';

const OBJECT_PATH = /^\/(v1\/storage\/download|v1\/storage\/presigned|cdn)\/(.+)$/;
const EXPOSED =
  'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, Retry-After, X-Request-Id';

type ObjectPath = { readonly kind: 'key' | 'token'; readonly value: string };

const objectOf = (url: string): ObjectPath | undefined => {
  const match = OBJECT_PATH.exec(url.split('?')[0] ?? '');
  if (match?.[2] === undefined) return undefined;
  try {
    return { kind: match[1]?.endsWith('presigned') ? 'token' : 'key', value: decodeURIComponent(match[2]) };
  } catch {
    return undefined;
  }
};

/** The names in a comma-separated header. */
const listOf = (header = ''): string[] =>
  header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Decides about requests for stored files from other web origins. */
export type BucketCors = {
  /** Whether a URL is that of a stored file, whose user configures CORS. */
  isObject(url: string): boolean;
  /** Sets the CORS headers of an answer; false when the origin is not allowed. */
  allow(request: FastifyRequest, reply: FastifyReply, origin: string): boolean;
  /** Whether anyone may read the file, so that an answer without CORS headers does no harm. */
  isPublic(url: string): boolean;
  /** Answers a preflight; throws `origin_not_allowed`. */
  preflight(request: FastifyRequest, reply: FastifyReply, origin: string): FastifyReply;
};

/** CORS of stored files. The key or the signed token in the path names the user. */
export const createBucketCors = ({ service, cors, signer }: Files): BucketCors => {
  const rulesOf = (url: string): CorsRules | undefined => {
    const object = objectOf(url);
    if (object === undefined) return undefined;
    const user = object.kind === 'key' ? userOfKey(object.value) : signer.peek(object.value)?.user;
    return user === undefined ? undefined : cors.rules(user);
  };

  /** Sets no `Allow-Credentials`: requests authenticate with a header or a signed path, never with cookies. */
  const allowOrigin = (reply: FastifyReply, rules: CorsRules, origin: string, method: string): boolean => {
    const value = allowedOrigin(rules, origin);
    if (value === undefined || !allowsMethod(rules, method)) return false;
    reply.header('access-control-allow-origin', value);
    return true;
  };

  return {
    isObject: (url) => objectOf(url) !== undefined,
    allow(request, reply, origin) {
      const rules = rulesOf(request.url);
      if (rules === undefined || !allowOrigin(reply, rules, origin, request.method)) return false;
      reply.header('access-control-expose-headers', EXPOSED);
      return true;
    },
    isPublic(url) {
      const object = objectOf(url);
      return object?.kind === 'key' && service.publicFile(object.value) !== undefined;
    },
    preflight(request, reply, origin) {
      const rules = rulesOf(request.url);
      const method = request.headers['access-control-request-method'] ?? '';
      const headers = listOf(request.headers['access-control-request-headers']);
      const isRefused =
        rules === undefined || !allowsHeaders(rules, headers) || !allowOrigin(reply, rules, origin, method);
      if (isRefused) {
        throw new AppError(
          'origin_not_allowed',
          'The CORS configuration of this storage does not allow this request from this web origin.',
        );
      }
      reply
        .code(204)
        .header('access-control-allow-methods', rules.allowedMethods.join(', '))
        .header('access-control-max-age', String(rules.maxAgeSeconds));
      // `*` would not cover Authorization, so the requested names are repeated.
      if (headers.length > 0) reply.header('access-control-allow-headers', headers.join(', '));
      if (request.headers['access-control-request-private-network'] === 'true') {
        reply.header('access-control-allow-private-network', 'true');
      }
      return reply.send();
    },
  };
};

/** Bytes that a form may have beside its file: boundaries, part headers and three short fields. */
const FORM_OVERHEAD = 256 * 1024;

const LIMITS = {
  // Higher than the service's own limit, which is refused with a sentence; the parser would truncate silently.
  fileSize: MAX_FILE_BYTES + FORM_OVERHEAD,
  files: 2,
  fields: 8,
  parts: 10,
  headerPairs: 50,
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
};

/** Browsers write a quote in a file's name as `%22` (HTML standard, multipart/form-data). */
const fileNameOf = (part: MultipartFile): string => part.filename.replaceAll('%22', '"');

type Fields = { folder?: string; public?: string; metadata?: string; purpose?: string };

const isField = (name: string): name is keyof Fields =>
  ['folder', 'public', 'metadata', 'purpose'].includes(name);

/** Adds a form field, and refuses a wrong one before the file's bytes are read. */
const addField = (fields: Fields, part: MultipartValue): void => {
  const { fieldname: name } = part;
  if (name === 'file') throw invalidField('file', 'must be a file with a name');
  if (!isField(name)) throw invalidField(name.slice(0, 100), 'is not a known field');
  if (fields[name] !== undefined) throw invalidField(name, 'was sent more than once');
  if (part.valueTruncated === true) throw invalidField(name, 'is too long');
  const value = textOf(part);
  if (name === 'folder') parseFolder(value);
  if (name === 'metadata') parseMetadata(value);
  fields[name] = value;
};

const propertiesOf = (
  uploads: UploadService,
  userId: string,
  file: MultipartFile,
  fields: Fields,
): FileProperties => {
  const form = UploadForm.safeParse(fields);
  if (!form.success) {
    const [issue] = form.error.issues;
    throw invalidField(issue?.path.join('.') ?? 'form', issue?.message ?? 'is not valid');
  }
  const { folder, public: isPublic, metadata, purpose } = form.data;
  return uploads.check({
    userId,
    fileName: fileNameOf(file),
    declaredType: file.mimetype,
    folder,
    public: isPublic,
    metadata: metadata === undefined ? {} : parseMetadata(metadata),
    purpose,
  });
};

/**
 * Reads an upload's form and streams its file to disk; fields may stand before or after the file, but a `purpose` must
 * precede a file whose name the storage refuses. The caller commits the upload. Rejects with nothing left behind.
 */
const receiveForm = async (
  request: FastifyRequest,
  uploads: UploadService,
  userId: string,
): Promise<{ upload: Upload; properties: FileProperties }> => {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > MAX_FILE_BYTES + FORM_OVERHEAD) throw tooLarge(MAX_FILE_BYTES);
  const parts = request.parts({ limits: LIMITS })[Symbol.asyncIterator]();
  const fields: Fields = {};
  let upload: Upload | undefined;
  let file: MultipartFile | undefined;
  try {
    for (let part = await nextPart(parts); part !== undefined; part = await nextPart(parts)) {
      if (part.type === 'field') {
        addField(fields, part);
        continue;
      }
      if (part.fieldname !== 'file') {
        throw invalidField(part.fieldname.slice(0, 100), 'is not a known field');
      }
      if (file !== undefined) throw invalidField('file', 'was sent more than once');
      file = part;
      // Refuse an unsupported type before reading the bytes.
      const { data: purpose } = UploadPurpose.safeParse(fields.purpose);
      uploads.check({ userId, fileName: fileNameOf(part), declaredType: part.mimetype, purpose });
      upload = await uploads.receive({ userId, source: part.file, maxBytes: MAX_FILE_BYTES });
      if (part.file.truncated) throw tooLarge(MAX_FILE_BYTES);
    }
    if (file === undefined || upload === undefined) throw invalidField('file', 'is missing');
    return { upload, properties: propertiesOf(uploads, userId, file, fields) };
  } catch (error) {
    stopParsing(request);
    file?.file.destroy();
    await upload?.abort();
    throw error;
  }
};

/** Keeps scripts in stored HTML, SVG and XML from running in this server's origin. */
const SANDBOX = { 'content-security-policy': "sandbox; default-src 'none'" } as const;

type Presentation = { readonly inline: boolean; readonly cacheControl: string };

const sendStored = async (
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

const PRIVATE = 'private, no-cache';
const PUBLIC = 'public, max-age=300';

/** The bytes of stored files: by key, by signed URL, and by the direct URL of a public file. */
const addDownloadRoutes = (server: FastifyInstance, files: Files): void => {
  const { service, presign } = files;

  addRoute(server, routes.downloadFile, ({ params, query, request, reply }) => {
    const own =
      request.caller === undefined ? undefined : service.ownFile(request.caller.user.id, params.fileKey);
    const file = own ?? service.publicFile(params.fileKey);
    // Without an API key, no one learns whether a private file exists.
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
