import { newId } from '../../electron/core/base/ids.ts';
import type { WritableDb } from '../../electron/core/stores/database.ts';
import { insertFile } from '../../electron/core/stores/files.ts';
import { insertUser } from '../../electron/core/stores/users.ts';

/** Inserts rows for a user with `count` files in ten folders and a hundred projects. Returns the user's id. */
export const fillFiles = (db: WritableDb, count: number): string => {
  const user = {
    id: newId('usr'),
    name: 'filled',
    isOwner: false,
    createdAt: 0,
    storageLimit: null,
    creditBudget: null,
  };
  insertUser(db, user);
  db.transaction(() => {
    for (let i = 0; i < count; i++) {
      const folder = `f${i % 10}`;
      const file = {
        id: newId('file'),
        userId: user.id,
        key: `/${user.id}/${folder}/recording-${i}_20261120T174500123Z.mp3`,
        object: i.toString(16).padStart(32, '0'),
        folder,
        originalName: `Recording ${i}.mp3`,
        size: (i * 7919) % 1_000_000,
        mimeType: 'audio/mpeg',
        isPublic: false,
        metadata: { project: `p${i % 100}`, speaker: `s${i % 7}` },
        md5: '0'.repeat(32),
        sha256: '0'.repeat(64),
        uploadedAt: i,
        modifiedAt: i,
      };
      insertFile(db, file, new Uint8Array(4));
    }
  });
  return user.id;
};
