import { createReadStream } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { FileMetadata } from '../../stores/codecs.ts';
import { allFiles, type FileRecord, findFile, findFileByKey, storageTotals } from '../../stores/files.ts';
import { findUser, findUserByName } from '../../stores/users.ts';
import type { Files } from './create.ts';
import { MAX_FILE_BYTES } from './uploads.ts';
import type { Progress } from './verify.ts';

const MANIFEST = 'earshot-storage.jsonl';

/** One line of the manifest. `path` is below the exported folder, with slashes. */
const Entry = z.object({
  path: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
  id: z.string(),
  key: z.string(),
  folder: z.string(),
  original_name: z.string(),
  size: z.int(),
  mime_type: z.string(),
  public: z.boolean(),
  metadata: FileMetadata,
  sha256: z.string(),
  uploaded_at: z.int(),
  modified_at: z.int(),
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

const readManifest = async (source: string): Promise<Entry[]> => {
  let text: string;
  try {
    text = await readFile(join(source, MANIFEST), 'utf8');
  } catch (error) {
    throw new AppError('invalid_request', `The folder has no ${MANIFEST}: it is not an export of Earshot.`, {
      cause: error,
    });
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Entry.parse(JSON.parse(line)));
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
  const root = resolve(source);
  const path = resolve(root, ...entry.path.split('/'));
  if (!path.startsWith(root + sep))
    throw new AppError('invalid_request', 'The path leads out of the folder.');
  const userId = userIdFor(files, entry, wanted);
  const key = `/${userId}/${entry.key.split('/').slice(2).join('/')}`;
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
  const upload = await uploads.receive({ userId, source: createReadStream(path), maxBytes: MAX_FILE_BYTES });
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
 * Imports an export, with all checks of an upload for each file. Existing files stay; a file that is refused is listed
 * in the report, and the others are still imported.
 */
export const importStorage = async (
  files: Files,
  source: string,
  options: { readonly user?: string | undefined; readonly onProgress: Progress },
): Promise<ImportReport> => {
  const entries = await readManifest(source);
  const total = { files: entries.length, bytes: entries.reduce((sum, entry) => sum + entry.size, 0) };
  const done = { files: 0, bytes: 0 };
  const counts = { imported: 0, known: 0 };
  const problems: { path: string; reason: string }[] = [];
  for (const entry of entries) {
    try {
      counts[await importOne(files, source, entry, options.user)]++;
    } catch (error) {
      problems.push({ path: entry.path, reason: isAppError(error) ? error.message : messageOf(error) });
    }
    done.files++;
    done.bytes += entry.size;
    options.onProgress(done, total);
  }
  return { ...counts, problems };
};
