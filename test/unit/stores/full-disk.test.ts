import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql as raw } from 'kysely';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { openDatabase, query, sql } from '../../../electron/core/stores/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('gives the reserve up for a deletion that does not fit, and for nothing else', () => {
  const path = join(temporaryFolder(), 'earshot.db');
  let given = 0;
  const db = openDatabase(path, {
    logger: silentLogger,
    now: Date.now,
    giveUpReserve: () => {
      given++;
      db.get(query(raw`PRAGMA max_page_count = 100000`));
      return true;
    },
  });
  const limit = () => {
    const file = new BetterSqlite3(path, { readonly: true });
    const pages = Number(file.pragma('page_count', { simple: true }));
    file.close();
    db.get(query(raw`PRAGMA max_page_count = ${raw.raw(String(pages))}`));
  };
  const write = (key: string) => {
    db.run(sql.replaceInto('meta').values({ key, value: 'x'.repeat(100_000) }));
    return key;
  };
  limit();
  expect(() => write('alone')).toThrow(/full/);
  expect(() => db.transaction(() => write('an edit'))).toThrow(/full/);
  expect(given).toBe(0);
  expect(db.transaction(() => write('a deletion'), 'deletion')).toBe('a deletion');
  expect(given).toBe(1);
  expect(db.all(sql.selectFrom('meta').select('key').where('key', 'like', 'a%'))).toEqual([
    { key: 'a deletion' },
  ]);
  db.close();
});
