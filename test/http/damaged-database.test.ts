import { closeSync, copyFileSync, openSync, readdirSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../electron/contract/client.ts';
import { type InProcessServer, startInProcess } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let dataDir: string;
let database: string;
let copy: string;

const clientOf = ({ url, key }: InProcessServer) => createClient({ baseUrl: url, key });

const uploadNote = async (server: InProcessServer) => {
  const body = new FormData();
  body.set('file', new File(['a note'], 'note.txt'));
  await clientOf(server).call('uploadFile', { body });
};

const overwrite = (from: number, length: number, byte: number): void => {
  const file = openSync(database, 'r+');
  writeSync(file, Buffer.alloc(length, byte), 0, length, from);
  closeSync(file);
};

beforeAll(async () => {
  dataDir = temporaryFolder();
  database = join(dataDir, 'earshot.db');
  copy = join(temporaryFolder(), 'copy.db');
  const server = await startInProcess({ dataDir });
  await uploadNote(server);
  await server.close();
  copyFileSync(database, copy);
});

describe('a database beside stored files', () => {
  it.each<[string, RegExp, () => void]>([
    ['with a zeroed header', /is damaged/, () => overwrite(0, 100, 0)],
    ['with overwritten pages after a clean stop', /is damaged/, () => overwrite(8192, 60_000, 0xa5)],
    ['that is an empty file', /missing or empty/, () => truncateSync(database, 0)],
    ['that is missing', /missing or empty/, () => rmSync(database)],
  ])('%s is never replaced by an empty one', async (_title, reason, damage) => {
    damage();
    await expect(startInProcess({ dataDir })).rejects.toMatchObject({
      code: 'library_damaged',
      message: expect.stringMatching(reason),
    });
    expect(readdirSync(dataDir).filter((name) => name.includes('.damaged-'))).toEqual([]);
    for (const end of ['-wal', '-shm']) rmSync(database + end, { force: true });
    copyFileSync(copy, database);
    const server = await startInProcess({ dataDir });
    expect((await clientOf(server).call('listFiles', {})).data.files).toHaveLength(1);
    await server.close();
  });
});

it('a missing database beside nothing but a backup is never replaced by an empty one', async () => {
  const folder = temporaryFolder();
  const server = await startInProcess({ dataDir: folder });
  await clientOf(server).call('createBackup');
  await server.close();
  rmSync(join(folder, 'earshot.db'));
  await expect(startInProcess({ dataDir: folder })).rejects.toMatchObject({ code: 'library_damaged' });
});

it('damage that a query meets is shown by the health check, and checked for at the next start', async () => {
  const server = await startInProcess({ dataDir });
  expect(await clientOf(server).call('health')).toMatchObject({ status: 'ok' });
  const other = new BetterSqlite3(database);
  const pages = other
    .prepare("SELECT pageno FROM dbstat WHERE name IN ('files', 'sqlite_autoindex_files_1')")
    .pluck()
    .all();
  // The server's cached pages are out of date after a write by another connection.
  other.prepare("INSERT INTO meta (key, value) VALUES ('test', '1')").run();
  other.close();
  server.db.checkpoint();
  for (const page of pages) overwrite((Number(page) - 1) * 4096, 4096, 0xa5);
  await expect(clientOf(server).call('listFiles', {})).rejects.toMatchObject({
    status: 503,
    code: 'library_damaged',
    message: expect.stringContaining('database is damaged'),
  });
  expect(await clientOf(server).call('health')).toMatchObject({ status: 'damaged' });
  await server.close();
  await expect(startInProcess({ dataDir })).rejects.toThrow(/is damaged/);
});
