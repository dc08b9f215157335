import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { type Database, openDatabase, sql } from '../../../electron/core/stores/database.ts';
import { runPendingScrub } from '../../../electron/core/stores/scrub.ts';
import { markForScrub } from '../../../electron/core/stores/scrub-mark.ts';
import { createRandom, SEED } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MARK = /zq\d{8}qz/g;
const ROUNDS = 30;
const CHANGES = 100;

const open = (path: string): Database => openDatabase(path, { logger: silentLogger, now: Date.now });

it.each([SEED, SEED + 1, SEED + 2])('no byte of a deleted row outlives a scrub (seed %i)', (seed) => {
  const path = join(temporaryFolder(), 'earshot.db');
  const random = createRandom(seed);
  /** What each row contains, by its key. */
  const live = new Map<string, string>();
  const change = (db: Database, row: number): void => {
    const key = `row.${random.int(1, 600)}`;
    const mark = `zq${String(row).padStart(8, '0')}qz`;
    if (random.chance(0.25)) {
      db.run(sql.deleteFrom('meta').where('key', '=', key));
      live.delete(key);
    } else {
      // Of many lengths, so that SQLite has to move rows between pages.
      db.run(sql.replaceInto('meta').values({ key, value: mark + 'x'.repeat(random.int(0, 900)) }));
      live.set(key, mark);
    }
  };
  const db = open(path);
  for (let round = 0; round < ROUNDS; round++) {
    db.transaction(() => {
      for (let n = 0; n < CHANGES; n++) change(db, round * CHANGES + n);
      markForScrub(db, 'log');
    });
    expect(runPendingScrub(db, Number.POSITIVE_INFINITY)).toBeUndefined();
    const marks = new Set(live.values());
    const found = readFileSync(path, 'latin1').match(MARK) ?? [];
    expect(found.filter((mark) => !marks.has(mark))).toEqual([]);
  }
  db.close();
  const reopened = open(path);
  const rows = reopened.all(sql.selectFrom('meta').selectAll().where('key', 'like', 'row.%'));
  expect(new Map(rows.map(({ key, value }) => [key, value.slice(0, 12)]))).toEqual(live);
  reopened.close();
});
