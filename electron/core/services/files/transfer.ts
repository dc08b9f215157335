import { constants } from 'node:fs';
import {
  appendFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { FileId } from '../../../contract/storage.ts';
import { AppError, messageOf, systemCode } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { FileMetadata } from '../../stores/codecs.ts';
import { allFiles, type FileRecord, findFile, findFileByKey, storageTotals } from '../../stores/files.ts';
import { findUser, findUserByName } from '../../stores/users.ts';
import type { Files } from './create.ts';
import { isCleanName, parseFolder } from './keys.ts';
import { MAX_FILE_BYTES } from './uploads.ts';
import type { Progress } from './verify.ts';

const MANIFEST = 'earshot-storage.jsonl';

/** Milliseconds since the epoch that an answer can show: up to the year 9999. */
const Time = z
  .int()
  .min(0)
  .max(Date.UTC(10_000, 0) - 1);

/** One line of the manifest. `path` is below the exported folder, with slashes. */
const Entry = z.object({
  path: z.string().refine((path) => !path.includes('\0'), 'must not contain NUL'),
  user: z.object({ id: z.string(), name: z.string() }),
  id: FileId,
  key: z.string(),
  folder: z.string().max(1024),
  original_name: z.string(),
  size: z.int().min(0),
  mime_type: z.string(),
  public: z.boolean(),
  metadata: FileMetadata,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
  uploaded_at: Time,
  modified_at: Time,
});
type Entry = z.output<typeof Entry>;

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Makes a part of a key a name that every file system accepts. */
const safePart = (part: string): string => `${DEVICE.test(part) ? '_' : ''}${part.replace(/[. ]+$/, '_')}`;

/** The path of an exported file; a name that differs from another in case alone gets a number. */
const pathFor = (key: string, taken: Set<string>): string => {
  const path = key.slice(1).split('/').map(safePart).join('/');
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? path : path.replace(/(\.[^./]*)?$/, `-${i}$1`);
    const folded = candidate.normalize('NFC').toLowerCase();
    if (taken.has(folded)) continue;
    taken.add(folded);
    return candidate;
  }
};

const writeCopy = async ({ service }: Files, file: FileRecord, path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'wx');
  try {
    for await (const chunk of service.source(file).read(0, file.size)) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const entryOf = (file: FileRecord, path: string, user: Entry['user']): Entry => ({
  path,
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

/** Writes all files of all users as plain files, with a manifest that `importStorage` reads. */
export const exportStorage = async (
  files: Files,
  target: string,
  onProgress: Progress,
): Promise<{ files: number; bytes: number }> => {
  const { db } = files;
  await mkdir(target, { recursive: true });
  if ((await readdir(target)).length > 0) {
    throw new AppError('conflict', 'The folder for the export is not empty. Name a new one.');
  }
  const manifest = join(target, MANIFEST);
  await writeFile(manifest, '');
  const total = storageTotals(db);
  const done = { files: 0, bytes: 0 };
  const taken = new Set([MANIFEST]);
  for (const file of allFiles(db)) {
    const path = pathFor(file.key, taken);
    await writeCopy(files, file, join(target, ...path.split('/')));
    const user = { id: file.userId, name: findUser(db, file.userId)?.name ?? '' };
    await appendFile(manifest, `${JSON.stringify(entryOf(file, path, user))}\n`);
    done.files++;
    done.bytes += file.size;
    onProgress(done, total);
  }
  return done;
};

export type ImportReport = {
  readonly imported: number;
  /** Files that were stored already. */
  readonly known: number;
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
};

type Problem = ImportReport['problems'][number];

/** The entry in one line of the manifest, or why there is none. */
const parseLine = (text: string, line: number): Entry | Problem => {
  const path = `${MANIFEST}, line ${line}`;
  try {
    const result = Entry.safeParse(JSON.parse(text));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    return { path, reason: `${issue?.path.join('.') || 'entry'}: ${issue?.message ?? 'is not valid'}` };
  } catch {
    // Truncated JSON, or nested too deep to be read.
    return { path, reason: 'The line is not valid JSON.' };
  }
};

const readManifest = async (source: string): Promise<(Entry | Problem)[]> => {
  let text: string;
  try {
    text = await readFile(join(source, MANIFEST), 'utf8');
  } catch (error) {
    throw new AppError('invalid_request', `The folder has no ${MANIFEST}: it is not an export of Earshot.`, {
      cause: error,
    });
  }
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));
};

/** The key of an imported file: the exported one, below its new user. Throws `invalid_request` for any other form. */
const keyOf = (entry: Entry, userId: string): string => {
  const folder = parseFolder(entry.folder);
  const start = `/${entry.user.id}/${folder}/`;
  const name = entry.key.slice(start.length);
  if (folder !== entry.folder || !entry.key.startsWith(start) || !isCleanName(name)) {
    throw new AppError('invalid_request', 'The key or the folder is not one that Earshot gives.');
  }
  return `/${userId}/${folder}/${name}`;
};

const NOT_READABLE: Readonly<Record<string, string>> = {
  ENOENT: 'The file is missing.',
  ENOTDIR: 'The file is missing.',
  EACCES: 'The file cannot be read: permission is denied.',
};

/** Opens an exported file. Throws `invalid_request` where it is missing, not a file, or outside of the folder. */
const openExported = async (source: string, entryPath: string): Promise<FileHandle> => {
  const outside = () => new AppError('invalid_request', 'The path leads out of the folder.');
  const path = resolve(source, ...entryPath.split('/'));
  if (!path.startsWith(resolve(source) + sep)) throw outside();
  let handle: FileHandle;
  try {
    if (!(await realpath(path)).startsWith((await realpath(source)) + sep)) throw outside();
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

/** The user with the name `wanted` where that is given; else the exported user, by id or else by name. */
const userIdFor = ({ db }: Files, entry: Entry, wanted: string | undefined): string => {
  const user =
    wanted === undefined
      ? (findUser(db, entry.user.id) ?? findUserByName(db, entry.user.name))
      : findUserByName(db, wanted);
  if (user !== undefined) return user.id;
  throw new AppError(
    'user_not_found',
    `There is no user ${wanted ?? entry.user.name}; create one, or name another with --user.`,
  );
};

const importOne = async (
  files: Files,
  source: string,
  entry: Entry,
  wanted: string | undefined,
): Promise<'imported' | 'known'> => {
  const { db, uploads } = files;
  const userId = userIdFor(files, entry, wanted);
  const key = keyOf(entry, userId);
  const existing = findFileByKey(db, key);
  if (existing !== undefined) {
    if (existing.sha256 === entry.sha256) return 'known';
    throw new AppError('conflict', 'There is another file under this key.');
  }
  const properties = uploads.check({
    userId,
    fileName: entry.original_name,
    declaredType: entry.mime_type,
    folder: entry.folder,
    public: entry.public,
    metadata: entry.metadata,
  });
  const handle = await openExported(source, entry.path);
  const bytes = handle.createReadStream();
  const upload = await uploads
    .receive({ userId, source: bytes, maxBytes: MAX_FILE_BYTES })
    .finally(() => handle.close());
  if (upload.sha256 !== entry.sha256) {
    await upload.abort();
    throw new AppError('content_mismatch', 'The file is not the one that was exported.');
  }
  const { uploaded_at: uploadedAt, modified_at: modifiedAt } = entry;
  const id = findFile(db, entry.id) === undefined ? entry.id : newId('file');
  await upload.commit(properties, { key, restored: { id, uploadedAt, modifiedAt } });
  return 'imported';
};

/**
 * Imports an export, with all checks of an upload for each file. Existing files stay; a file that is refused and a line
 * that cannot be read are listed in the report, and the others are still imported.
 */
export const importStorage = async (
  files: Files,
  source: string,
  options: { readonly user?: string | undefined; readonly onProgress: Progress },
): Promise<ImportReport> => {
  const lines = await readManifest(source);
  const entries = lines.filter((line) => 'sha256' in line);
  const total = { files: entries.length, bytes: entries.reduce((sum, entry) => sum + entry.size, 0) };
  const done = { files: 0, bytes: 0 };
  const counts = { imported: 0, known: 0 };
  const problems: Problem[] = lines.filter((line) => 'reason' in line);
  for (const entry of entries) {
    try {
      counts[await importOne(files, source, entry, options.user)]++;
    } catch (error) {
      problems.push({ path: entry.path, reason: messageOf(error) });
    }
    done.files++;
    done.bytes += entry.size;
    options.onProgress(done, total);
  }
  return { ...counts, problems };
};
