import type { VocabularyEntry } from '../../contract/vocabulary.ts';
import { vocabularyCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { KeyRow, SessionRow, UserRow } from './schema.ts';

export const insertSession = (db: WritableDb, session: SessionRow): void => {
  db.run(sql.replaceInto('sessions').values(session));
};

/** A session that was used at `since` or later. */
export const findSession = (
  db: ReadableDb,
  hash: string,
  kind: SessionRow['kind'],
  since: number,
): SessionRow | undefined =>
  db.get(
    sql
      .selectFrom('sessions')
      .selectAll()
      .where('hash', '=', hash)
      .where('kind', '=', kind)
      .where('used_at', '>=', since),
  );

export const touchSession = (db: WritableDb, hash: string, at: number): void => {
  db.run(sql.updateTable('sessions').set({ used_at: at }).where('hash', '=', hash));
};

export const sessionsOf = (db: ReadableDb, userId: string): string[] =>
  db.all(sql.selectFrom('sessions').select('hash').where('user_id', '=', userId)).map(({ hash }) => hash);

export const deleteSessionsBefore = (db: WritableDb, since: number): void => {
  db.run(sql.deleteFrom('sessions').where('used_at', '<', since));
};

type UserVocabulary = { readonly entries: readonly VocabularyEntry[]; readonly updatedAt: number };

/** Undefined for a user who never set one. */
export const readUserVocabulary = (db: ReadableDb, userId: string): UserVocabulary | undefined => {
  const row = db.get(sql.selectFrom('vocabularies').selectAll().where('user_id', '=', userId));
  return row && { entries: vocabularyCodec.decode(row.entries), updatedAt: row.updated_at };
};

export const writeUserVocabulary = (
  db: WritableDb,
  userId: string,
  { entries, updatedAt }: UserVocabulary,
): void => {
  const row = { user_id: userId, entries: vocabularyCodec.encode([...entries]), updated_at: updatedAt };
  db.run(sql.replaceInto('vocabularies').values(row));
};

export type UserRecord = {
  readonly id: string;
  readonly name: string;
  /** Whether this is the owner of the installation; there is one. */
  readonly isOwner: boolean;
  readonly createdAt: number;
  /** Bytes; null means no limit. */
  readonly storageLimit: number | null;
  /** Null means no limit. */
  readonly creditBudget: number | null;
};

export type KeyRecord = {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** The first characters of the key, which are shown. */
  readonly prefix: string;
  /** SHA-256 of the key, which is not stored. */
  readonly hash: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

const decodeUser = (row: UserRow): UserRecord => ({
  id: row.id,
  name: row.name,
  isOwner: row.owner === 1,
  createdAt: row.created_at,
  storageLimit: row.storage_limit,
  creditBudget: row.credit_budget,
});

const decodeKey = (row: KeyRow): KeyRecord => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  prefix: row.prefix,
  hash: row.hash,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

const decodeIfFound = (row: UserRow | undefined): UserRecord | undefined => row && decodeUser(row);

export const insertUser = (db: WritableDb, user: UserRecord): void => {
  db.run(
    sql.insertInto('users').values({
      id: user.id,
      name: user.name,
      owner: user.isOwner ? 1 : 0,
      created_at: user.createdAt,
      storage_limit: user.storageLimit,
      credit_budget: user.creditBudget,
    }),
  );
};

export const listUsers = (db: ReadableDb): UserRecord[] =>
  db.all(sql.selectFrom('users').selectAll().orderBy('id')).map(decodeUser);

export const findUser = (db: ReadableDb, id: string): UserRecord | undefined =>
  decodeIfFound(db.get(sql.selectFrom('users').selectAll().where('id', '=', id)));

export const findOwner = (db: ReadableDb): UserRecord | undefined =>
  decodeIfFound(db.get(sql.selectFrom('users').selectAll().where('owner', '=', 1)));

export const findUserByName = (db: ReadableDb, name: string): UserRecord | undefined =>
  decodeIfFound(db.get(sql.selectFrom('users').selectAll().where('name', '=', name)));

/** Stores the name and the limits of a user. */
export const updateUser = (
  db: WritableDb,
  { id, name, storageLimit, creditBudget }: Omit<UserRecord, 'isOwner' | 'createdAt'>,
): void => {
  const change = { name, storage_limit: storageLimit, credit_budget: creditBudget };
  db.run(sql.updateTable('users').set(change).where('id', '=', id));
};

export const deleteUser = (db: WritableDb, id: string): boolean =>
  db.run(sql.deleteFrom('users').where('id', '=', id)).changes > 0;

export const insertKey = (db: WritableDb, key: KeyRecord): void => {
  db.run(
    sql.insertInto('keys').values({
      id: key.id,
      user_id: key.userId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
    }),
  );
};

export const listKeys = (db: ReadableDb, userId: string): KeyRecord[] =>
  db.all(sql.selectFrom('keys').selectAll().where('user_id', '=', userId).orderBy('id')).map(decodeKey);

export const findKey = (db: ReadableDb, userId: string, id: string): KeyRecord | undefined => {
  const row = db.get(sql.selectFrom('keys').selectAll().where('user_id', '=', userId).where('id', '=', id));
  return row && decodeKey(row);
};

export const findKeyByHash = (db: ReadableDb, hash: string): KeyRecord | undefined => {
  const row = db.get(sql.selectFrom('keys').selectAll().where('hash', '=', hash));
  return row && decodeKey(row);
};

/** Replaces the key itself; its id and name stay. */
export const replaceKeySecret = (db: WritableDb, id: string, prefix: string, hash: string): void => {
  db.run(sql.updateTable('keys').set({ prefix, hash, last_used_at: null }).where('id', '=', id));
};

export const touchKey = (db: WritableDb, id: string, at: number): void => {
  db.run(sql.updateTable('keys').set({ last_used_at: at }).where('id', '=', id));
};

export const deleteKey = (db: WritableDb, userId: string, id: string): boolean =>
  db.run(sql.deleteFrom('keys').where('user_id', '=', userId).where('id', '=', id)).changes > 0;
