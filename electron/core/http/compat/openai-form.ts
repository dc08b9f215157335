import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError, isAppError } from '../../base/errors.ts';
import type { Caller } from '../../services/accounts.ts';
import type { FileService } from '../../services/files/service.ts';

const LIMITS = { files: 1, fields: 40, parts: 41, headerPairs: 50, fieldNameSize: 200, fieldSize: 64 * 1024 };
const MAX_FILE_BYTES = 1024 ** 3;
const FOLDER = 'openai';

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The request is not valid: ${path}: ${message}.`, {
    details: [{ path, message }],
  });

type User = Caller['user'];

/** A stored upload: its key, and the name that it came with. */
export type KeptUpload = Awaited<ReturnType<FileService['upload']>>['file'];

export type OpenAiForm = {
  readonly file: KeptUpload;
  /** By name; `name[]` fields are lists under their bare name. */
  readonly fields: Readonly<Record<string, string | string[]>>;
};

const takeField = (
  fields: Map<string, string | string[]>,
  { fieldname, value, valueTruncated }: MultipartValue,
): void => {
  if (valueTruncated) throw invalid(fieldname, 'is too long');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const list = /^(.+)\[\d*\]$/.exec(fieldname)?.[1];
  if (list === undefined) {
    if (fields.has(fieldname)) throw invalid(fieldname, 'was sent more than once');
    fields.set(fieldname, text);
    return;
  }
  const known = fields.get(list) ?? [];
  if (typeof known === 'string') throw invalid(list, 'was sent more than once');
  fields.set(list, [...known, text]);
};

/** Keeps the file; its name decides its type, its media type only where the name has no ending. */
const keep = async (files: FileService, user: User, part: MultipartFile): Promise<KeptUpload> => {
  if (part.fieldname !== 'file') throw invalid(part.fieldname.slice(0, 100), 'is not a known field');
  const { file } = await files.upload({
    user,
    stream: part.file,
    fileName: part.filename === '' ? 'audio' : part.filename,
    declaredType: /\.\w+$/.test(part.filename) ? '' : part.mimetype,
    folder: FOLDER,
  });
  return file;
};

/** What the multipart parser throws of its own is the request's fault. */
const asFault = (error: unknown): unknown =>
  isAppError(error) || !(error instanceof Error) || !('statusCode' in error)
    ? error
    : new AppError('invalid_request', 'The multipart body is malformed, or broke off before its end.', {
        cause: error,
      });

/** Reads the form: the file goes to the store as it comes. Rejects with nothing left behind. */
export const readOpenAiForm = async (
  request: FastifyRequest,
  files: FileService,
  user: User,
): Promise<OpenAiForm> => {
  if (!request.isMultipart()) {
    throw new AppError(
      'unsupported_media_type',
      'The request must be a multipart form (multipart/form-data).',
    );
  }
  const fields = new Map<string, string | string[]>();
  let file: KeptUpload | undefined;
  try {
    const limits = { ...LIMITS, fileSize: MAX_FILE_BYTES + 1 };
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') takeField(fields, part);
      else if (file === undefined) file = await keep(files, user, part);
    }
    if (file === undefined) throw invalid('file', 'is missing');
    return { file, fields: Object.fromEntries(fields) };
  } catch (error) {
    if (file !== undefined) await files.remove(user.id, file.key);
    throw asFault(error);
  }
};
