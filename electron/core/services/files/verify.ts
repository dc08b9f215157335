import { realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { createPace, FULL_SPEED } from '../../base/event-loop.ts';
import { newId } from '../../base/ids.ts';
import { detectFormat } from '../../engines/scan/content.ts';
import { filesAfter, findFileByKey, insertFile, storageTotals, writeIntents } from '../../stores/files.ts';
import { hashObject } from '../../stores/objects/blocks.ts';
import type { CopyReport } from '../../stores/objects/copies.ts';
import type { Files } from './create.ts';
import { buildKey } from './present.ts';

/** File systems of the kernel, which keep no files. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

/** Whether `path` is `folder` or below it. Both are real paths. */
const isWithin = (path: string, folder: string): boolean => {
  const rest = relative(folder, path);
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
};

/** The path without symbolic links; what does not exist yet stays as it is. */
const realPath = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
};

/** Whether the path, or the nearest folder above it that exists, is a folder. */
const canBeFolder = (path: string): boolean => {
  const info = statSync(path, { throwIfNoEntry: false });
  return info === undefined ? canBeFolder(dirname(path)) : info.isDirectory();
};

const whyUnusable = (path: string, dataDir: string): string | undefined => {
  if (path.includes('\0')) return 'its path contains NUL';
  if (!isAbsolute(path)) return 'it needs a full path, such as /mnt/backup (~ is not expanded)';
  const real = realPath(path);
  if (isWithin(real, realPath(dataDir))) return 'it lies inside the data folder';
  if (process.platform !== 'win32' && KERNEL_FOLDERS.some((folder) => isWithin(real, folder))) {
    return 'it lies in a folder of the system that keeps no files';
  }
  try {
    if (!canBeFolder(real)) return 'there is a file in its place';
  } catch {
    return 'it cannot be reached';
  }
  return undefined;
};

type CheckedMirrors = {
  readonly usable: readonly string[];
  /** Numbered from 1. */
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
};

/** Sorts out mirrors that cannot keep a copy. A folder that does not exist yet is usable: its disk may come back. */
export const checkMirrors = (mirrors: readonly string[], dataDir: string): CheckedMirrors => {
  const known = new Set<string>();
  const usable: string[] = [];
  const refused: { number: number; reason: string }[] = [];
  for (const [index, path] of mirrors.entries()) {
    const real = realPath(path);
    const reason =
      whyUnusable(path, dataDir) ?? (known.has(real) ? 'it is the same as an earlier one' : undefined);
    known.add(real);
    if (reason === undefined) usable.push(path);
    else refused.push({ number: index + 1, reason });
  }
  return { usable, refused };
};

const FOLDER = 'recovered';

/**
 * Makes files of the objects that no file knows, as after the database was restored from a backup: the owner's, in the
 * folder `recovered`, named by the day of their bytes. Returns their number.
 */
export const relinkObjects = async ({ db, store }: Files, ownerId: string): Promise<number> => {
  const objects = new Set<string>();
  for await (const { object } of store.orphanedObjects()) objects.add(object);
  for (const object of writeIntents(db)) objects.delete(object);
  for (const object of objects) {
    const path = await store.pathOfOrphan(object);
    if (path === undefined) continue;
    const { checksums, ...bytes } = await hashObject(path);
    const { extension, mimeType } = await detectFormat(path);
    const { mtimeMs } = await stat(path);
    const time = Math.round(mtimeMs);
    const name = `recovered ${new Date(time).toISOString().slice(0, 10)}`;
    const keyAt = (at: number): string => {
      const key = buildKey({ userId: ownerId, folder: FOLDER, stem: name, extension }, at);
      return findFileByKey(db, key) === undefined ? key : keyAt(at + 1);
    };
    const file = {
      id: newId('file'),
      userId: ownerId,
      key: keyAt(time),
      object,
      folder: FOLDER,
      originalName: `${name}.${extension}`,
      mimeType,
      isPublic: false,
      metadata: {},
      uploadedAt: time,
      modifiedAt: time,
      ...bytes,
    };
    insertFile(db, file, checksums);
  }
  return objects.size;
};

const BATCH = 200;
/** A batch ends with the file during which this time is over, so that its caller can show progress and stop. */
const BATCH_MS = 2000;

export type VerifyOptions = {
  /** Id of the last file that is done. */
  readonly after?: string | undefined;
  readonly adopt_mirrors: boolean;
  readonly remove_unknown: boolean;
  readonly throttle: boolean;
};

type Problem = { readonly key: string; readonly folder: string; readonly state: 'mended' | 'lost' | 'away' };

const problemOf = (key: string, { folder, state }: CopyReport): Problem[] =>
  state === 'good' ? [] : [{ key, folder, state }];

/** Counts objects without a file, e.g. after the database was restored from an older backup. */
const countUnknown = async ({ store }: Files, isRemoved: boolean): Promise<number> => {
  const orphans = new Set<string>();
  for await (const { object } of store.orphanedObjects()) orphans.add(object);
  if (isRemoved) for (const object of orphans) await store.remove(object);
  return orphans.size;
};

/**
 * Reads every byte of every copy of the next files, and repairs damaged copies. Objects without a file are counted, or
 * removed, after the last file.
 */
export const verifyFiles = async (files: Files, options: VerifyOptions) => {
  const { db, store } = files;
  if (options.adopt_mirrors) await store.adoptMirrors();
  const pace = options.throttle ? createPace() : FULL_SPEED;
  const until = performance.now() + BATCH_MS;
  const done = { files: 0, bytes: 0 };
  const problems: Problem[] = [];
  let last = options.after ?? '';
  for (const file of filesAfter(db, last, BATCH)) {
    problems.push(...(await store.verify(file, pace)).flatMap((report) => problemOf(file.key, report)));
    done.files++;
    done.bytes += file.size;
    last = file.id;
    if (performance.now() > until) break;
  }
  const isEnd = filesAfter(db, last, 1).length === 0;
  return {
    ...done,
    total: storageTotals(db),
    problems,
    folders: store.labels,
    unknown: isEnd ? await countUnknown(files, options.remove_unknown) : null,
    next: isEnd ? null : last,
  };
};
