import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findFileByKey, writeIntents } from '../../../electron/core/stores/files.ts';
import type { InProcessServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  bearer,
  errorOf,
  form,
  freshStorage,
  newUser,
  objectsIn,
  type User,
  upload,
} from './support/client.ts';

const BLOCK = 256 * 1024;
const text = Array.from({ length: 100_000 }, (_, i) => `row ${i}`).join('\n');

let root = '';
let storage: InProcessServer;
let user: User;
let key = '';
let object = '';
let copies: string[] = [];

const row = () => {
  const file = findFileByKey(storage.db, key);
  if (file === undefined) throw new Error('The file has no row.');
  return file;
};
const flip = (path: string, at: number) => {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
};
const download = () => fetch(`${storage.url}/v1/storage/download${key}`, { headers: bearer(user) });
const right = (path: string) => readFileSync(path, 'utf8') === text;

beforeEach(async () => {
  root = temporaryFolder();
  mkdirSync(join(root, 'disk'));
  const mirrors = [join(root, 'disk', 'mirror'), join(root, 'nas')];
  storage = await freshStorage({ dataDir: join(root, 'data'), settings: { 'storage.mirrors': mirrors } });
  user = newUser(storage);
  const { file, upload_info } = await upload(user, 'rows.txt', text);
  expect(upload_info.storage_region).toBe('local, mirror-1, mirror-2');
  key = file.key;
  object = row().object;
  const place = join(object.slice(0, 2), object.slice(2, 4), object);
  copies = [join(root, 'data', 'objects'), ...mirrors].map((folder) => join(folder, place));
});

describe('copies of a file', () => {
  it('are written to every folder, and removed with it', async () => {
    expect(copies.every(right)).toBe(true);
    await user.client.call('deleteFile', { params: { fileKey: key } });
    expect(copies.some(existsSync)).toBe(false);
    expect(writeIntents(storage.db)).toEqual([]);
  });

  it('are read instead of a damaged, truncated or missing one, which is repaired', async () => {
    const [local = '', first = '', second = ''] = copies;
    flip(local, 3 * BLOCK + 17);
    truncateSync(first, 1000);
    // No copy is intact: only this one has the fourth block, only the others have the first.
    flip(second, 10);
    expect(await (await download()).text()).toBe(text);
    await vi.waitFor(() => expect(copies.map(right)).toEqual([true, true, true]), { timeout: 90_000 });
    // A copy that is lost while a repair runs is only repaired by the next read.
    await storage.files.store.idle();
    rmSync(local);
    expect(await (await download()).text()).toBe(text);
    await vi.waitFor(() => expect(copies.map(right)).toEqual([true, true, true]), { timeout: 90_000 });
    expect(statSync(local).mode & 0o777).toBe(0o600);
  });

  it('give ffmpeg the path of an intact one', async () => {
    flip(copies[0] ?? '', 5);
    const path = await storage.files.service.pathOf(row());
    expect(right(path)).toBe(true);
    await vi.waitFor(() => expect(right(copies[0] ?? '')).toBe(true), { timeout: 90_000 });
    expect(await storage.files.service.pathOf(row())).toBe(path);
  });

  it('end the answer early rather than send wrong bytes when none is intact', async () => {
    for (const path of copies) flip(path, BLOCK + 1);
    const response = await download();
    await expect(response.arrayBuffer()).rejects.toThrow();
    const part = await fetch(`${storage.url}/v1/storage/download${key}`, {
      headers: { ...bearer(user), range: `bytes=0-${BLOCK - 1}` },
    });
    expect(await part.text()).toBe(text.slice(0, BLOCK));
    for (const path of copies) flip(path, 1);
    expect(await errorOf(await download())).toMatchObject({ status: 503, code: 'storage_unavailable' });
    const reports = await storage.files.store.verify(row());
    expect(reports.map(({ state }) => state)).toEqual(['lost', 'lost', 'lost']);
  });

  it('are verified byte by byte', async () => {
    expect((await storage.files.store.verify(row())).map(({ state }) => state)).toEqual([
      'good',
      'good',
      'good',
    ]);
    flip(copies[1] ?? '', text.length - 1);
    rmSync(copies[2] ?? '');
    expect((await storage.files.store.verify(row())).map(({ state }) => state)).toEqual([
      'good',
      'mended',
      'mended',
    ]);
    expect(copies.map(right)).toEqual([true, true, true]);
  });
});

describe('an absent mirror', () => {
  const disk = () => join(root, 'disk');

  it('stops uploads but not downloads', async () => {
    renameSync(disk(), `${disk()}-away`);
    mkdirSync(join(disk(), 'mirror'), { recursive: true });
    expect(await (await download()).text()).toBe(text);
    const before = objectsIn(root);
    const response = await fetch(`${storage.url}/v1/storage/upload`, {
      method: 'POST',
      headers: bearer(user),
      body: form('b.txt', 'b'),
    });
    expect(await errorOf(response)).toMatchObject({ status: 503, code: 'storage_unavailable' });
    expect(objectsIn(root)).toEqual(before);
    expect((await user.client.call('storageInfo')).data.fileCount).toBe(1);
    expect((await storage.files.store.verify(row())).map(({ state }) => state)).toEqual([
      'good',
      'away',
      'good',
    ]);
  });

  it('is swept when its disk comes back', async () => {
    renameSync(disk(), `${disk()}-away`);
    await user.client.call('deleteFile', { params: { fileKey: key } });
    expect(writeIntents(storage.db)).toEqual([object]);
    renameSync(`${disk()}-away`, disk());
    expect(existsSync(copies[1] ?? '')).toBe(true);
    await storage.files.sweep();
    expect(copies.some(existsSync)).toBe(false);
    expect(writeIntents(storage.db)).toEqual([]);
  });

  it('can be replaced by a new disk, which is then filled', async () => {
    rmSync(disk(), { recursive: true });
    mkdirSync(disk());
    expect(await storage.files.store.adoptMirrors()).toEqual(['mirror-1']);
    expect((await storage.files.store.verify(row())).map(({ state }) => state)).toEqual([
      'good',
      'mended',
      'good',
    ]);
    expect(copies.map(right)).toEqual([true, true, true]);
  });
});
