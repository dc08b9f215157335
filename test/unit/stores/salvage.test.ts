import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../electron/core/stores/database.ts';
import { repairDatabase } from '../../../electron/core/stores/repair-database.ts';
import {
  insertSegments,
  insertSegmentsFrom,
  nextRange,
  readSegmentsOf,
  replaceSegments,
  switchToNextRange,
} from '../../../electron/core/stores/segments.ts';
import { deleteTranscript, updateTranscript } from '../../../electron/core/stores/transcripts.ts';
import { addJob, openTestDatabase } from '../../support/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TRANSCRIPTS = 20;
const SEGMENTS = 40;

const segmentsOf = (word: string) =>
  Array.from({ length: SEGMENTS }, (_, id) => ({
    id,
    text: `${word} `.repeat(20),
    start: id,
    end: id + 1,
    speaker_id: null,
    words: [],
  }));

const switchSegments: typeof replaceSegments = (db, id, segments) => {
  insertSegmentsFrom(db, { transcript_id: id, chunk: 0, first: nextRange(db, id).from }, segments);
  switchToNextRange(db, id);
};

/** As where the row that says where the segments lie cannot be read. */
const losePlace: typeof replaceSegments = (db, id, segments) => {
  replaceSegments(db, id, []);
  switchSegments(db, id, segments);
  db.run(sql.deleteFrom('segment_ranges').where('transcript_id', '=', id));
};

/** Ways in which a transcript comes to other segments. */
const WAYS = [replaceSegments, switchSegments, losePlace];

const triggersOf = (file: BetterSqlite3.Database): unknown[] =>
  file.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name").all();

it('a transcript is that of the damaged database, or that of the backup, with its segments', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'earshot.db');
  const backup = join(folder, 'backup.db');
  const db = openTestDatabase(folder);
  const ids = db.transaction(() => {
    const made = Array.from({ length: TRANSCRIPTS }, () =>
      addJob(db, 'usr_1', { text: 'before', duration: 7 }),
    );
    for (const id of made) insertSegments(db, id, 0, segmentsOf('before'));
    return made;
  });
  db.checkpoint();
  copyFileSync(path, backup);
  const [deleted = '', ...others] = ids;
  db.transaction(() => {
    deleteTranscript(db, 'usr_1', deleted);
    for (const [index, id] of others.entries()) {
      updateTranscript(db, id, { text: 'after' });
      (WAYS[index % WAYS.length] ?? replaceSegments)(db, id, segmentsOf('after'));
    }
  });
  db.checkpoint();
  const pages = new BetterSqlite3(path, { readonly: true });
  const leaves = pages
    .prepare("SELECT pageno FROM dbstat WHERE name = 'segments' AND pagetype = 'leaf' ORDER BY path")
    .pluck()
    .all()
    .map(Number);
  const triggers = triggersOf(pages);
  pages.close();
  const file = openSync(path, 'r+');
  const damaged = leaves[Math.floor(leaves.length / 2)] ?? 0;
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (damaged - 1) * 4096);
  closeSync(file);

  const repaired = repairDatabase(path, [{ path: backup, madeAt: 0, size: 0, erasures: 0 }], 0);
  expect(repaired.salvaged?.incomplete).toEqual(['segments']);
  const after = new BetterSqlite3(path, { readonly: true });
  const rows = z
    .array(z.object({ id: z.string(), text: z.string() }))
    .parse(after.prepare('SELECT id, text FROM transcripts').all());
  expect(rows.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
  for (const { id, text } of rows) expect(readSegmentsOf(path, id)).toEqual(segmentsOf(text));
  const kept = rows.filter(({ text }) => text === 'before').length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(2);
  expect(after.prepare('SELECT transcripts, duration FROM statistics').all()).toEqual([
    { transcripts: others.length, duration: others.length * 7 },
  ]);
  expect(after.pragma('foreign_key_check')).toEqual([]);
  expect(triggersOf(after)).toEqual(triggers);
  after.close();
});
