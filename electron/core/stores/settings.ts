import { type ReadableDb, sql, type WritableDb } from './database.ts';

/** Stored settings: key → JSON text. */
export const readSettings = (db: ReadableDb): Map<string, string> =>
  new Map(db.all(sql.selectFrom('settings').selectAll()).map((row) => [row.key, row.value]));

export const writeSetting = (db: WritableDb, key: string, value: string): void => {
  db.run(sql.replaceInto('settings').values({ key, value }));
};

export const clearSetting = (db: WritableDb, key: string): void => {
  db.run(sql.deleteFrom('settings').where('key', '=', key));
};
