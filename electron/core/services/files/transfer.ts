import { createReadStream } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { filesAfter, findFile, findFileByKey, storageTotals } from '../../stores/files.ts';
import type { FileRow } from '../../stores/schema.ts';
import { findUser, findUserByName } from '../../stores/users.ts';
import type { Files } from './create.ts';
import { MAX_FILE_BYTES } from './intake.ts';
import type { Progress } from './verify.ts';

const MANIFEST = 'earshot-storage.jsonl';
const STEP = 200;

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
  metadata: z.record(z.string(), z.unknown()),
  sha256: z.string(),
  uploaded_at: z.int(),
  modified_at: z.int(),
});
type Entry = z.output<typeof Entry>;

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A part of a key as a name that every file system takes. */
const safePart = (part: string): string => `${DEVICE.test(part) ? '_' : ''}${part.replace(/[. ]+$/, '_')}`;

/** Where a file goes; a name that differs from another in case alone gets a number. */
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

const writeCopy = async ({ service }: Files, row: FileRow, path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'wx');
  try {
    for await (const chunk of service.source(row).read(0, row.size)) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

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
  for (
    let rows = filesAfter(db, '', STEP);
    rows.length > 0;
    rows = filesAfter(db, rows.at(-1)?.id ?? '', STEP)
  ) {
    for (const row of rows) {
      const path = pathFor(row.key, taken);
      await writeCopy(files, row, join(target, ...path.split('/')));
      const { object: _, md5: __, user_id, metadata, public: isPublic, ...rest } = row;
      const entry: Entry = {
        ...rest,
        path,
        user: { id: user_id, name: findUser(db, user_id)?.name ?? '' },
        public: isPublic === 1,
        // Checked when it was stored.
        metadata: JSON.parse(metadata) as Entry['metadata'],
      };
      await appendFile(manifest, `${JSON.stringify(Entry.parse(entry))}\n`);
      done.files++;
      done.bytes += row.size;
      onProgress(done, total);
    }
  }
  return done;
};

export type ImportReport = {
  readonly imported: number;
  /** Files that were there already. */
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

/** The user by id, else by name, else the one that was asked for. */
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
  const { db, service } = files;
  const root = resolve(source);
  const path = resolve(root, ...entry.path.split('/'));
  if (!path.startsWith(root + sep))
    throw new AppError('invalid_request', 'The path leads out of the folder.');
  const userId = userIdFor(files, entry, wanted);
  const key = `/${userId}/${entry.key.split('/').slice(2).join('/')}`;
  const there = findFileByKey(db, key);
  if (there !== undefined) {
    if (there.sha256 === entry.sha256) return 'known';
    throw new AppError('conflict', 'There is another file under this key.');
  }
  const plan = service.plan({
    userId,
    fileName: entry.original_name,
    declaredType: entry.mime_type,
    folder: entry.folder,
    public: entry.public,
    metadata: entry.metadata,
  });
  const intake = await service.receive({ userId, source: createReadStream(path), maxBytes: MAX_FILE_BYTES });
  if (intake.staged.sha256 !== entry.sha256) {
    await service.drop(intake);
    throw new AppError('content_mismatch', 'The file is not the one that was exported.');
  }
  const { uploaded_at, modified_at } = entry;
  const id = findFile(db, entry.id) === undefined ? entry.id : newId('file');
  await service.finish(intake, plan, { key, kept: { id, uploaded_at, modified_at } });
  return 'imported';
};

/**
 * Takes an export back, each file with all checks of an upload. What is there already stays;
 * what cannot be taken is named in the report, and the rest goes on.
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
