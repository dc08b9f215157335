import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { UploadForm } from '../../../../contract/storage.ts';
import { AppError } from '../../../base/errors.ts';
import { type Intake, MAX_FILE_BYTES, tooLarge } from '../../../services/files/intake.ts';
import { parseFolder } from '../../../services/files/keys.ts';
import { parseMetadata } from '../../../services/files/metadata.ts';
import type { FilePlan, FileService } from '../../../services/files/service.ts';

/** A form is little more than its file: boundaries, part headers and three short fields. */
const FORM_OVERHEAD = 256 * 1024;

const LIMITS = {
  // The service counts the bytes and refuses with a sentence; the parser must not cut silently before it.
  fileSize: MAX_FILE_BYTES + FORM_OVERHEAD,
  files: 2,
  fields: 8,
  parts: 10,
  headerPairs: 50,
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
};

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The request is not valid: ${path}: ${message}.`, {
    details: [{ path, message }],
  });

/** Browsers write a quote in a file's name as `%22` (HTML standard, multipart/form-data). */
const sentName = (part: MultipartFile): string => part.filename.replaceAll('%22', '"');

type Part = MultipartFile | MultipartValue;

/** The next part. Whatever the parser stumbles over is the request's fault. */
export const nextPart = async (parts: AsyncIterator<Part>): Promise<Part | undefined> => {
  try {
    const next = await parts.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', 'The multipart body is malformed, or broke off before its end.', {
      cause: error,
    });
  }
};

type Fields = { folder?: string; public?: string; metadata?: string };

const isField = (name: string): name is keyof Fields => ['folder', 'public', 'metadata'].includes(name);

/** Takes one form field, and refuses a wrong one before the file's bytes are read. */
const takeField = (fields: Fields, part: MultipartValue): void => {
  const { fieldname: name } = part;
  if (name === 'file') throw invalid('file', 'must be a file with a name');
  if (!isField(name)) throw invalid(name.slice(0, 100), 'is not a known field');
  if (fields[name] !== undefined) throw invalid(name, 'was sent more than once');
  if (part.valueTruncated === true) throw invalid(name, 'is too long');
  const value = typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
  if (name === 'folder') parseFolder(value);
  if (name === 'metadata') parseMetadata(value);
  fields[name] = value;
};

export type Upload = { readonly intake: Intake; readonly plan: FilePlan };

/**
 * Reads an upload's form: the file is streamed to disk as it comes, fields may stand before or after it.
 * Rejects with nothing left behind.
 */
export const receiveForm = async (
  request: FastifyRequest,
  files: FileService,
  userId: string,
): Promise<Upload> => {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > MAX_FILE_BYTES + FORM_OVERHEAD) throw tooLarge(MAX_FILE_BYTES);
  const parts = request.parts({ limits: LIMITS })[Symbol.asyncIterator]();
  const fields: Fields = {};
  let intake: Intake | undefined;
  let file: MultipartFile | undefined;
  try {
    for (let part = await nextPart(parts); part !== undefined; part = await nextPart(parts)) {
      if (part.type === 'field') {
        takeField(fields, part);
        continue;
      }
      if (part.fieldname !== 'file') throw invalid(part.fieldname.slice(0, 100), 'is not a known field');
      if (file !== undefined) throw invalid('file', 'was sent more than once');
      file = part;
      // A type that is not taken is refused before its bytes are read.
      files.plan({ userId, fileName: sentName(part), declaredType: part.mimetype });
      intake = await files.receive({ userId, source: part.file, maxBytes: MAX_FILE_BYTES });
      if (part.file.truncated) throw tooLarge(MAX_FILE_BYTES);
    }
    if (file === undefined || intake === undefined) throw invalid('file', 'is missing');
    return { intake, plan: planOf(files, userId, file, fields) };
  } catch (error) {
    file?.file.destroy();
    if (intake !== undefined) await files.drop(intake);
    throw error;
  }
};

const planOf = (files: FileService, userId: string, file: MultipartFile, fields: Fields): FilePlan => {
  const form = UploadForm.safeParse(fields);
  if (!form.success) {
    const [issue] = form.error.issues;
    throw invalid(issue?.path.join('.') ?? 'form', issue?.message ?? 'is not valid');
  }
  const { folder, public: isPublic, metadata } = form.data;
  return files.plan({
    userId,
    fileName: sentName(file),
    declaredType: file.mimetype,
    folder,
    public: isPublic,
    metadata: metadata === undefined ? {} : parseMetadata(metadata),
  });
};
