import { closeSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../electron/core/base/clock.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { dataPaths } from '../../../electron/core/base/paths.ts';
import { prepareFolders } from '../../../electron/core/data-folder.ts';
import { BackupService } from '../../../electron/core/services/backups.ts';
import { SettingsService } from '../../../electron/core/services/settings.ts';
import { type Database, openDatabase, sql } from '../../../electron/core/stores/database.ts';
import { runPendingScrub } from '../../../electron/core/stores/scrub.ts';
import { markForScrub } from '../../../electron/core/stores/scrub-mark.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const paths = dataPaths(join(temporaryFolder(), 'data'));
let db: Database;
let settings: SettingsService;
let now: number;

const create = (thread?: URL) =>
  new BackupService({
    db,
    thread,
    paths,
    clock: { ...systemClock, now: () => now },
    logger: silentLogger,
    settings,
    isIdle: () => true,
  });

const write = (key: string, value: string) => db.run(sql.replaceInto('meta').values({ key, value }));
const names = () => readdirSync(paths.backups).toSorted();
const readBack = (name: string): unknown => {
  const file = new BetterSqlite3(join(paths.backups, name), { readonly: true });
  const value = file.prepare("SELECT value FROM meta WHERE key = 'test'").pluck().get();
  file.close();
  return value;
};

/** Overwrites pages of the database file behind SQLite's back. */
const damage = (): void => {
  db.checkpoint();
  const file = openSync(paths.database, 'r+');
  writeSync(file, Buffer.alloc(60_000, 0xa5), 0, 60_000, 8192);
  closeSync(file);
};

beforeEach(() => {
  prepareFolders(paths);
  db = openDatabase(paths.database, { logger: silentLogger, now: () => now });
  runPendingScrub(db);
  settings = new SettingsService(db, {});
  now = Date.UTC(2026, 10, 22, 11, 30);
  // A start and a stop wait as long as a renewal takes.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
});
afterEach(async () => {
  vi.restoreAllMocks();
  settings.change({ 'storage.backups': null });
  db.close();
});

it('keeps the last two copies, for this account of the system only', async () => {
  const backups = create();
  for (const value of ['one', 'two', 'three']) {
    write('test', value);
    await backups.create();
    now += 24 * 3600_000;
  }
  expect(names()).toEqual(['earshot-20261123T113000Z.db', 'earshot-20261124T113000Z.db']);
  expect(names().map(readBack)).toEqual(['two', 'three']);
  expect(backups.list().map(({ created_at }) => created_at)).toEqual([
    '2026-11-24T11:30:00.000Z',
    '2026-11-23T11:30:00.000Z',
  ]);
  if (process.platform !== 'win32') {
    for (const name of names()) expect(statSync(join(paths.backups, name)).mode & 0o777).toBe(0o600);
  }
  await backups.close();
});

const DAY_MS = 24 * 3600_000;

it('a copy made while the clock was ahead makes way for the next, and is not answered as the newest', async () => {
  const backups = create();
  await backups.create();
  now += 2 * DAY_MS;
  await backups.create();
  now -= DAY_MS;
  expect(await backups.create()).toMatchObject({ created_at: '2026-11-23T11:30:00.000Z' });
  expect(names()).toEqual(['earshot-20261122T113000Z.db', 'earshot-20261123T113000Z.db']);
  await backups.close();
});

it('a clock that was a day ahead causes one copy, not one at every look', async () => {
  let monotonic = 0;
  const logger = { ...silentLogger, info: vi.fn() };
  const clock = { ...systemClock, now: () => now, monotonic: () => monotonic };
  const backups = new BackupService({ db, paths, clock, logger, settings, isIdle: () => true });
  await backups.create();
  now -= 2 * DAY_MS;
  monotonic = 120_000;
  backups.start();
  await until(() => names().join() === 'earshot-20261120T113000Z.db');
  const looks = vi.spyOn(settings, 'get');
  await until(() => looks.mock.calls.length > 0);
  await backups.close();
  expect(logger.info.mock.calls.filter(([, text]) => text === 'A backup was made')).toHaveLength(2);
});

it('after an erasure, a new copy replaces all earlier ones', async () => {
  const backups = create();
  write('test', 'Quetzalcoatl');
  await backups.create();
  db.transaction(() => {
    write('test', 'nobody');
    markForScrub(db, 'log');
  });
  runPendingScrub(db);
  now += 1000;
  await backups.create();
  expect(names().map(readBack)).toEqual(['nobody']);
  await backups.close();
});

it('at a stop, copies that hold what was erased are replaced', async () => {
  const backups = create();
  write('test', 'Quetzalcoatl');
  await backups.create();
  db.transaction(() => {
    write('test', 'nobody');
    markForScrub(db, 'log');
  });
  runPendingScrub(db);
  now += 1000;
  await backups.close();
  expect(names().map(readBack)).toEqual(['nobody']);
  expect(names().every((name) => !readFileSync(join(paths.backups, name)).includes('Quetzal'))).toBe(true);
});

const eraseQuetzalcoatl = async (): Promise<void> => {
  const backups = create();
  write('test', 'Quetzalcoatl');
  await backups.create();
  await backups.close();
  db.transaction(() => {
    write('test', 'nobody');
    markForScrub(db, 'log');
  });
  runPendingScrub(db);
  now += 1000;
};

it('at the start after a crash, copies that hold what was erased are replaced', async () => {
  await eraseQuetzalcoatl();
  const backups = create();
  await backups.open();
  expect(names().map(readBack)).toEqual(['nobody']);
  await backups.close();
});

it('at the start after a crash, they are removed where no new copy can be made', async () => {
  await eraseQuetzalcoatl();
  const failed = `data:text/javascript,import { parentPort } from 'node:worker_threads';
    parentPort.postMessage({ state: 'failed', reason: 'a test' });`;
  const backups = create(new URL(failed));
  await backups.open();
  expect(names()).toEqual([]);
  await backups.close();
});

it('copies nothing while erased text is still in the files', async () => {
  const backups = create();
  await backups.create();
  markForScrub(db, 'log');
  const waiting = backups.create();
  await backups.close();
  runPendingScrub(db);
  await expect(waiting).rejects.toThrow();
  expect(names()).toEqual([]);
});

it('a damaged database never replaces a backup, and is found by it', async () => {
  const backups = create();
  db.transaction(() => {
    for (let i = 0; i < 2000; i++) write(`filler ${i}`, 'x'.repeat(100));
  });
  await backups.create();
  const before = names();
  const good = readFileSync(join(paths.backups, before[0] ?? ''));
  damage();
  now += 1000;
  await expect(backups.create()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('earshot doctor'),
  });
  expect(db.isDamaged).toBe(true);
  await backups.close();
  expect(names()).toEqual(before);
  expect(readFileSync(join(paths.backups, before[0] ?? '')).equals(good)).toBe(true);
});

it('a large database that was closed is checked after the start, while no job runs', async () => {
  const backups = create();
  await backups.create();
  await backups.close();
  db.close();
  const file = new BetterSqlite3(paths.database);
  const page = file
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'remembered_voices'")
    .pluck()
    .get();
  file.close();
  const bytes = openSync(paths.database, 'r+');
  writeSync(bytes, Buffer.alloc(4096, 0xa5), 0, 4096, (Number(page) - 1) * 4096);
  closeSync(bytes);
  db = openDatabase(paths.database, { logger: silentLogger, now: () => now, maxBytesChecked: 0 });
  settings = new SettingsService(db, {});
  expect([db.wasClean, db.wasChecked, db.isDamaged]).toEqual([true, false, false]);
  let monotonic = 0;
  const later = new BackupService({
    db,
    paths,
    clock: { ...systemClock, now: () => now, monotonic: () => monotonic },
    logger: silentLogger,
    settings,
    isIdle: () => true,
  });
  monotonic = 120_000;
  later.start();
  await until(() => db.isDamaged);
  await later.close();
});
