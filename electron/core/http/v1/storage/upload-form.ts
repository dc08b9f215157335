import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { UploadForm, UploadPurpose } from '../../../../contract/storage.ts';
import { parseFolder } from '../../../services/files/keys.ts';
import { parseMetadata } from '../../../services/files/metadata.ts';
import {
  type FileProperties,
  MAX_FILE_BYTES,
  tooLarge,
  type Upload,
  type UploadService,
} from '../../../services/files/uploads.ts';
import { invalidField, nextPart, stopParsing, textOf } from '../../multipart.ts';

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
export const receiveForm = async (
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
