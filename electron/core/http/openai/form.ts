import { Readable } from 'node:stream';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { MAX_KNOWN_SPEAKERS } from '../../../contract/openai.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import type { Caller } from '../../services/accounts.ts';
import type { FileService, StoredFile } from '../../services/files/service.ts';
import { MAX_FILE_BYTES, tooLarge, type UploadService } from '../../services/files/uploads.ts';
import { invalidField, nextPart, stopParsing, textOf } from '../multipart.ts';

const LIMITS = {
  // Higher than the service's own limit, which is refused with a sentence; the parser would truncate silently.
  fileSize: MAX_FILE_BYTES + 1,
  files: 2,
  fields: 40,
  parts: 42,
  headerPairs: 50,
  fieldNameSize: 200,
  // A sample of a voice; other fields are limited below.
  fieldSize: 8 * 1024 * 1024,
};
const MAX_TEXT_BYTES = 64 * 1024;
const SAMPLES = 'known_speaker_references';
const FOLDER = 'openai';
/** Bytes that a form may have beside its file. */
const FORM_OVERHEAD = MAX_KNOWN_SPEAKERS * LIMITS.fieldSize + LIMITS.fields * MAX_TEXT_BYTES;

type User = Caller['user'];

export type UploadedFiles = { readonly uploads: UploadService; readonly files: FileService };

type FieldValue = string | readonly string[] | Readonly<Record<string, string>>;

export type OpenAiForm = {
  readonly file: StoredFile;
  readonly fields: Readonly<Record<string, FieldValue>>;
};

type Fields = Map<string, FieldValue>;

/** `name[]` and `name[0]` are collected in a list, `name[field]` in an object. */
const addField = (fields: Fields, part: MultipartValue): void => {
  const { fieldname } = part;
  const text = textOf(part);
  const [, name = fieldname, field] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(fieldname) ?? [];
  const isTooLong = part.valueTruncated === true || (name !== SAMPLES && text.length > MAX_TEXT_BYTES);
  if (isTooLong) throw invalidField(fieldname, 'is too long');
  const earlier = fields.get(name);
  if (field === undefined) {
    if (earlier !== undefined) throw invalidField(name, 'was sent more than once');
    fields.set(name, text);
  } else if (/^\d*$/.test(field)) {
    if (earlier !== undefined && !Array.isArray(earlier)) throw invalidField(name, 'was sent more than once');
    const list = [...(earlier ?? []), text];
    if (name === SAMPLES && list.length > MAX_KNOWN_SPEAKERS) {
      throw invalidField(name, `has more than ${MAX_KNOWN_SPEAKERS} entries`);
    }
    fields.set(name, list);
  } else {
    const isObject = earlier !== undefined && typeof earlier === 'object' && !Array.isArray(earlier);
    if ((earlier !== undefined && !isObject) || (isObject && Object.hasOwn(earlier, field))) {
      throw invalidField(fieldname, 'was sent more than once');
    }
    fields.set(name, Object.fromEntries([...Object.entries(isObject ? earlier : {}), [field, text]]));
  }
};

/** Refusals that say that the file is no recording: OpenAI answers 400 to them. */
const NO_RECORDING: ReadonlySet<string> = new Set(['unsupported_file_type', 'content_mismatch']);

/** Stores a recording, whose content decides its type. Throws `invalid_request` about `path` for what is none. */
const storeRecording = async (
  uploads: UploadService,
  input: Pick<Parameters<UploadService['store']>[0], 'userId' | 'source' | 'fileName' | 'declaredType'>,
  path: string,
): Promise<StoredFile> => {
  try {
    const { file } = await uploads.store({ ...input, folder: FOLDER, purpose: 'transcription' });
    return file;
  } catch (error) {
    if (!isAppError(error) || !NO_RECORDING.has(error.code)) throw error;
    throw new AppError('invalid_request', error.message, {
      details: [{ path, message: error.message }],
      cause: error,
    });
  }
};

const store = (uploads: UploadService, user: User, part: MultipartFile): Promise<StoredFile> => {
  if (part.fieldname !== 'file') throw invalidField(part.fieldname.slice(0, 100), 'is not a known field');
  const fileName = part.filename === '' ? 'audio' : part.filename;
  const input = { userId: user.id, source: part.file, fileName, declaredType: part.mimetype };
  return storeRecording(uploads, input, 'file');
};

/** Stores the samples of voices in a form, and removes them once `use` has settled. */
export const withSamples = async <T>(
  { uploads, files }: UploadedFiles,
  user: User,
  references: readonly string[],
  use: (samples: readonly StoredFile[]) => Promise<T>,
): Promise<T> => {
  const samples: StoredFile[] = [];
  try {
    for (const [index, reference] of references.entries()) {
      const path = `${SAMPLES}.${index}`;
      const [, type = '', base64] =
        /^data:([\w/+.-]*)(?:;[\w=.-]+)*;base64,([\w+/=\s-]+)$/.exec(reference) ?? [];
      if (base64 === undefined) throw invalidField(path, 'is not a data: URL in base64');
      const source = Readable.from(Buffer.from(base64, 'base64'));
      const input = { userId: user.id, source, fileName: 'voice', declaredType: type };
      samples.push(await storeRecording(uploads, input, path));
    }
    return await use(samples);
  } finally {
    for (const sample of samples) await files.remove(user.id, sample.key);
  }
};

/** Reads the form and stores its file while it arrives. Rejects with nothing left behind. */
export const readOpenAiForm = async (
  request: FastifyRequest,
  { uploads, files }: UploadedFiles,
  user: User,
): Promise<OpenAiForm> => {
  if (!request.isMultipart()) {
    throw new AppError(
      'unsupported_media_type',
      'The request must be a multipart form (multipart/form-data).',
    );
  }
  // Refuse before a byte is read.
  if (Number(request.headers['content-length'] ?? 0) > MAX_FILE_BYTES + FORM_OVERHEAD) {
    throw tooLarge(MAX_FILE_BYTES);
  }
  const fields = new Map<string, FieldValue>();
  const parts = request.parts({ limits: LIMITS })[Symbol.asyncIterator]();
  let file: StoredFile | undefined;
  let open: MultipartFile | undefined;
  try {
    for (let part = await nextPart(parts); part !== undefined; part = await nextPart(parts)) {
      if (part.type === 'field') {
        addField(fields, part);
        continue;
      }
      open = part;
      if (file !== undefined) throw invalidField('file', 'was sent more than once');
      file = await store(uploads, user, part);
    }
    if (file === undefined) throw invalidField('file', 'is missing');
    return { file, fields: Object.fromEntries(fields) };
  } catch (error) {
    stopParsing(request);
    open?.file.destroy();
    if (file !== undefined) await files.remove(user.id, file.key);
    throw error;
  }
};
