import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../base/errors.ts';
import type { Caller } from '../../services/accounts.ts';
import { MAX_FILE_BYTES } from '../../services/files/intake.ts';
import type { FileService } from '../../services/files/service.ts';
import { nextPart } from '../v1/storage/upload-form.ts';

const LIMITS = {
  // The store counts the bytes and refuses with a sentence; the parser must not cut silently before it.
  fileSize: MAX_FILE_BYTES + 1,
  files: 2,
  fields: 40,
  parts: 42,
  headerPairs: 50,
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
};
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
  const parts = request.parts({ limits: LIMITS })[Symbol.asyncIterator]();
  let file: KeptUpload | undefined;
  let open: MultipartFile | undefined;
  try {
    for (let part = await nextPart(parts); part !== undefined; part = await nextPart(parts)) {
      if (part.type === 'field') {
        takeField(fields, part);
        continue;
      }
      open = part;
      if (file !== undefined) throw invalid('file', 'was sent more than once');
      file = await keep(files, user, part);
    }
    if (file === undefined) throw invalid('file', 'is missing');
    return { file, fields: Object.fromEntries(fields) };
  } catch (error) {
    open?.file.destroy();
    if (file !== undefined) await files.remove(user.id, file.key);
    throw error;
  }
};
