import type { JsonValue } from '../../contract/common.ts';
import { isSettingKey, SETTINGS, type SettingKey } from '../../contract/settings.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';

/** Undefined, which no setting allows, for text that is no JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The stored settings. Those that this version does not know, or whose value it does not allow, are left out. */
export const readSettings = (db: ReadableDb): ReadonlyMap<SettingKey, unknown> =>
  new Map(
    db.all(sql.selectFrom('settings').selectAll()).flatMap(({ key, value }): [SettingKey, unknown][] => {
      if (!isSettingKey(key)) return [];
      const result = SETTINGS[key].schema.safeParse(parseJson(value));
      return result.success ? [[key, result.data]] : [];
    }),
  );

/** Keys of stored settings that this version does not have. */
export const unknownSettings = (db: ReadableDb): string[] =>
  db
    .all(sql.selectFrom('settings').select('key'))
    .map(({ key }) => key)
    .filter((key) => !isSettingKey(key));

export const writeSetting = (db: WritableDb, key: string, value: JsonValue): void => {
  db.run(sql.replaceInto('settings').values({ key, value: JSON.stringify(value) }));
};

export const clearSetting = (db: WritableDb, key: string): void => {
  db.run(sql.deleteFrom('settings').where('key', '=', key));
};
