import { stat } from 'node:fs/promises';
import { createPace, FULL_SPEED } from '../../base/event-loop.ts';
import { newId } from '../../base/ids.ts';
import { detectFormat } from '../../engines/scan/content.ts';
import { filesAfter, findFileByKey, insertFile, storageTotals, writeIntents } from '../../stores/files.ts';
import { hashObject } from '../../stores/objects/blocks.ts';
import type { CopyReport } from '../../stores/objects/repairs.ts';
import type { Files } from './create.ts';
import { buildKey } from './keys.ts';

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
