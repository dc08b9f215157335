import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ExportedFile, ImportFile } from '../../../contract/storage.ts';
import { AppError, systemCode } from '../../base/errors.ts';
import { createPace, FULL_SPEED, type Pace } from '../../base/event-loop.ts';
import { newId } from '../../base/ids.ts';
import { type FileRecord, filesAfter, findFile, findFileByKey, storageTotals } from '../../stores/files.ts';
import { findUser, findUserByName } from '../../stores/users.ts';
import type { Files } from './create.ts';
import { isCleanName, parseFolder } from './present.ts';
import { MAX_FILE_BYTES } from './uploads.ts';

const exported = (file: FileRecord, user: ExportedFile['user']): ExportedFile => ({
  user,
  id: file.id,
  key: file.key,
  folder: file.folder,
  original_name: file.originalName,
  size: file.size,
  mime_type: file.mimeType,
  public: file.isPublic,
  metadata: file.metadata,
  sha256: file.sha256,
  uploaded_at: file.uploadedAt,
  modified_at: file.modifiedAt,
});

/** The next files of all users, for an export. */
export const listExports = (
  { db }: Files,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
) => {
  const files = filesAfter(db, after, limit);
  const last = files.at(-1)?.id ?? after;
  return {
    files: files.map((file) =>
      exported(file, { id: file.userId, name: findUser(db, file.userId)?.name ?? '' }),
    ),
    total: storageTotals(db),
    next: filesAfter(db, last, 1).length === 0 ? null : last,
  };
};

/** The key of an imported file: the exported one, below its new user. Throws `invalid_request` for any other form. */
const keyOf = (file: ExportedFile, userId: string): string => {
  const folder = parseFolder(file.folder);
  const start = `/${file.user.id}/${folder}/`;
  const name = file.key.slice(start.length);
  if (folder !== file.folder || !file.key.startsWith(start) || !isCleanName(name)) {
    throw new AppError('invalid_request', 'The key or the folder is not one that Earshot gives.');
  }
  return `/${userId}/${folder}/${name}`;
};

const NOT_READABLE: Readonly<Record<string, string>> = {
  ENOENT: 'The file is missing.',
  ENOTDIR: 'The file is missing.',
  EACCES: 'The file cannot be read: permission is denied.',
  ENXIO: 'This is not a file.',
};

/** Throws `invalid_request` if there is no file to read. */
const openFile = async (path: string): Promise<FileHandle> => {
  if (!isAbsolute(path)) throw new AppError('invalid_request', 'The path is not absolute.');
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const reason = NOT_READABLE[systemCode(error) ?? ''];
    throw reason === undefined ? error : new AppError('invalid_request', reason, { cause: error });
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new AppError('invalid_request', 'This is not a file.');
};

/** The user with the name `wanted` if that is given; else the exported user, by id or else by name. */
const userIdFor = ({ db }: Files, file: ExportedFile, wanted: string | undefined): string => {
  const user =
    wanted === undefined
      ? (findUser(db, file.user.id) ?? findUserByName(db, file.user.name))
      : findUserByName(db, wanted);
  if (user !== undefined) return user.id;
  throw new AppError(
    'user_not_found',
    `There is no user ${wanted ?? file.user.name}; create one, or name another with --user.`,
  );
};

async function* paced(source: AsyncIterable<Uint8Array>, pace: Pace): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    await pace();
  }
}

/**
 * Imports a file of an export with all checks of an upload, under its id, key and times. `known`: a file with this key
 * and content is stored already. Throws the errors of uploads, and `conflict` for a key that another file has.
 */
export const importFile = async (
  files: Files,
  { path, file, user, throttle }: ImportFile,
): Promise<'imported' | 'known'> => {
  const { db, uploads } = files;
  // Rests within each import, since the next one does not know of the work of this one: most files are small.
  const pace = throttle ? createPace(0) : FULL_SPEED;
  const userId = userIdFor(files, file, user);
  const key = keyOf(file, userId);
  const existing = findFileByKey(db, key);
  if (existing !== undefined) {
    if (existing.sha256 === file.sha256) return 'known';
    throw new AppError('conflict', 'There is another file under this key.');
  }
  const properties = uploads.check({
    userId,
    fileName: file.original_name,
    declaredType: file.mime_type,
    folder: file.folder,
    public: file.public,
    metadata: file.metadata,
  });
  const handle = await openFile(path);
  const source = paced(handle.createReadStream(), pace);
  const upload = await uploads
    .receive({ userId, source, maxBytes: MAX_FILE_BYTES })
    .finally(() => handle.close());
  if (upload.sha256 !== file.sha256) {
    await upload.abort();
    throw new AppError('content_mismatch', 'The file is not the one that was exported.');
  }
  const { uploaded_at: uploadedAt, modified_at: modifiedAt } = file;
  const id = findFile(db, file.id) === undefined ? file.id : newId('file');
  await upload.commit(properties, { key, restored: { id, uploadedAt, modifiedAt } });
  await pace();
  return 'imported';
};
