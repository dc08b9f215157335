import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { KeyRow, UserRow } from './schema.ts';

export const insertUser = (db: WritableDb, user: UserRow): void => {
  db.run(sql.insertInto('users').values(user));
};

export const listUsers = (db: ReadableDb): UserRow[] =>
  db.all(sql.selectFrom('users').selectAll().orderBy('id'));

export const findUser = (db: ReadableDb, id: string): UserRow | undefined =>
  db.get(sql.selectFrom('users').selectAll().where('id', '=', id));

export const findOwner = (db: ReadableDb): UserRow | undefined =>
  db.get(sql.selectFrom('users').selectAll().where('owner', '=', 1));

export const findUserByName = (db: ReadableDb, name: string): UserRow | undefined =>
  db.get(sql.selectFrom('users').selectAll().where('name', '=', name));

export const updateUser = (db: WritableDb, id: string, change: Partial<UserRow>): void => {
  db.run(sql.updateTable('users').set(change).where('id', '=', id));
};

export const deleteUser = (db: WritableDb, id: string): boolean =>
  db.run(sql.deleteFrom('users').where('id', '=', id)).changes > 0;

export const insertKey = (db: WritableDb, key: KeyRow): void => {
  db.run(sql.insertInto('keys').values(key));
};

export const listKeys = (db: ReadableDb, userId: string): KeyRow[] =>
  db.all(sql.selectFrom('keys').selectAll().where('user_id', '=', userId).orderBy('id'));

export const findKey = (db: ReadableDb, userId: string, id: string): KeyRow | undefined =>
  db.get(sql.selectFrom('keys').selectAll().where('user_id', '=', userId).where('id', '=', id));

export const findKeyByHash = (db: ReadableDb, hash: string): KeyRow | undefined =>
  db.get(sql.selectFrom('keys').selectAll().where('hash', '=', hash));

export const replaceKeySecret = (db: WritableDb, id: string, prefix: string, hash: string): void => {
  db.run(sql.updateTable('keys').set({ prefix, hash, last_used_at: null }).where('id', '=', id));
};

export const touchKey = (db: WritableDb, id: string, at: number): void => {
  db.run(sql.updateTable('keys').set({ last_used_at: at }).where('id', '=', id));
};

export const deleteKey = (db: WritableDb, userId: string, id: string): boolean =>
  db.run(sql.deleteFrom('keys').where('user_id', '=', userId).where('id', '=', id)).changes > 0;
