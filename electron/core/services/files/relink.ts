import { stat } from 'node:fs/promises';
import { newId } from '../../base/ids.ts';
import { detectFormat } from '../../engines/scan/content.ts';
import { findFileByKey, insertFile, writeIntents } from '../../stores/files.ts';
import { hashObject } from '../../stores/objects/hash-object.ts';
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
