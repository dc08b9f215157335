import { join } from 'node:path';
import { sql as raw } from 'kysely';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { openDatabase, query } from '../../../electron/core/stores/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** As SQLite numbers them (https://sqlite.org/pragma.html#pragma_synchronous). */
const [NORMAL, FULL] = [1, 2];

it('waits for the disk at each commit, except for progress', () => {
  const db = openDatabase(join(temporaryFolder(), 'earshot.db'), { logger: silentLogger, now: Date.now });
  const mode = () => db.get(query(raw<{ synchronous: number }>`PRAGMA synchronous`))?.synchronous;
  expect(mode()).toBe(FULL);
  expect(db.transaction(mode)).toBe(FULL);
  expect(db.transaction(mode, 'deletion')).toBe(FULL);
  expect(db.transaction(mode, 'progress')).toBe(NORMAL);
  expect(mode()).toBe(FULL);
  expect(db.transaction(() => db.transaction(mode, 'progress'))).toBe(FULL);
  const fails = () => {
    throw new Error('in the middle');
  };
  expect(() => db.transaction(fails, 'progress')).toThrow('in the middle');
  expect(mode()).toBe(FULL);
  db.close();
});
