import { metadataCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { FileRecord } from './files.ts';

/** A presigned upload that was handed out. It reserves its key and can be used once. */
export type PresignedUpload = Pick<
  FileRecord,
  'userId' | 'key' | 'folder' | 'originalName' | 'mimeType' | 'isPublic' | 'metadata'
> & {
  /** Random; identifies the upload in its signed token. */
  readonly nonce: string;
  /** Most bytes that may be sent. */
  readonly maxSize: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly isUsed: boolean;
};

export const insertPresigned = (db: WritableDb, upload: PresignedUpload): void => {
  db.run(
    sql.insertInto('presigned_uploads').values({
      nonce: upload.nonce,
      user_id: upload.userId,
      key: upload.key,
      folder: upload.folder,
      original_name: upload.originalName,
      mime_type: upload.mimeType,
      max_size: upload.maxSize,
      public: upload.isPublic ? 1 : 0,
      metadata: metadataCodec.encode(upload.metadata),
      expires_at: upload.expiresAt,
      used: upload.isUsed ? 1 : 0,
    }),
  );
};

export const findPresigned = (db: ReadableDb, nonce: string): PresignedUpload | undefined => {
  const row = db.get(sql.selectFrom('presigned_uploads').selectAll().where('nonce', '=', nonce));
  if (row === undefined) return undefined;
  return {
    nonce: row.nonce,
    userId: row.user_id,
    key: row.key,
    folder: row.folder,
    originalName: row.original_name,
    mimeType: row.mime_type,
    maxSize: row.max_size,
    isPublic: row.public === 1,
    metadata: metadataCodec.decode(row.metadata),
    expiresAt: row.expires_at,
    isUsed: row.used === 1,
  };
};

export const isPresignedKey = (db: ReadableDb, key: string): boolean =>
  db.get(sql.selectFrom('presigned_uploads').select('nonce').where('key', '=', key)) !== undefined;

export const markPresignedUsed = (db: WritableDb, nonce: string): void => {
  db.run(sql.updateTable('presigned_uploads').set({ used: 1 }).where('nonce', '=', nonce));
};

/** Deletes uploads that expired before `time`; their tokens are refused by the expiry that they carry. */
export const deletePresignedBefore = (db: WritableDb, time: number): void => {
  db.run(sql.deleteFrom('presigned_uploads').where('expires_at', '<', time));
};
