import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesOfUser, storageUsage, writeIntents } from '../../../electron/core/stores/files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, form, freshStorage, newUser, objectsIn, type User } from './support/client.ts';

/** A minute with `EARSHOT_LONG_TESTS=1`, otherwise a few seconds. */
const SECONDS = process.env.EARSHOT_LONG_TESTS === '1' ? 60 : 2;

it('concurrent uploads, deletions and listings of two users keep every invariant', async () => {
  const root = temporaryFolder();
  const storage = await freshStorage({ dataDir: root });
  const users = [newUser(storage), newUser(storage, { storage_limit: 2_000_000 })];
  const until = Date.now() + SECONDS * 1000;
  const unexpected: string[] = [];
  const expectStatus = async (what: string, response: Response, allowed: number[]) => {
    await response.arrayBuffer();
    if (!allowed.includes(response.status)) unexpected.push(`${what}: ${response.status}`);
  };
  const request = (user: User, path: string, init: RequestInit = {}) =>
    fetch(`${storage.url}/v1/storage/${path}`, { ...init, headers: bearer(user) });

  const uploader = async (user: User, salt: number) => {
    for (let i = 0; Date.now() < until; i++) {
      const body = form(`f${i % 7}.txt`, 'x'.repeat(((i * 7919 + salt) % 60_000) + 1), {
        folder: `d${i % 3}`,
      });
      await expectStatus('upload', await request(user, 'upload', { method: 'POST', body }), [201, 507]);
    }
  };
  const deleter = async (user: User) => {
    while (Date.now() < until) {
      const { data } = await user.client.call('listFiles', { query: { limit: 20, sort: 'size' } });
      for (const { key } of data.files.slice(0, 12)) {
        await expectStatus('delete', await request(user, `file${key}`, { method: 'DELETE' }), [200, 404]);
      }
    }
  };
  const reader = async (user: User) => {
    while (Date.now() < until) {
      const { data } = await user.client.call('listFiles', { query: { q: 'f1', limit: 5 } });
      for (const { key, size } of data.files) {
        const response = await request(user, `download${key}`);
        const bytes = await response.arrayBuffer().catch(() => undefined);
        if (response.status === 200 && bytes !== undefined && bytes.byteLength !== size)
          unexpected.push('a short download');
        if (![200, 404].includes(response.status)) unexpected.push(`download: ${response.status}`);
      }
    }
  };
  await Promise.all(
    users.flatMap((user, i) => [
      uploader(user, i),
      uploader(user, i + 99),
      deleter(user),
      deleter(user),
      reader(user),
    ]),
  );

  expect(unexpected).toEqual([]);
  const known: string[] = [];
  for (const user of users) {
    const rows = filesOfUser(storage.db, user.id);
    known.push(...rows.map((row) => row.object));
    expect(storageUsage(storage.db, user.id)).toEqual({
      files: rows.length,
      bytes: rows.reduce((sum, row) => sum + row.size, 0),
    });
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
    const { data } = await user.client.call('listFiles');
    expect(data.pagination.total).toBe(rows.length);
    expect(data.folders).toEqual([...new Set(rows.map((row) => row.folder))].sort());
  }
  const names = objectsIn(join(root, 'objects')).map((path) => path.slice(-32));
  expect(names.sort()).toEqual(known.sort());
  expect(writeIntents(storage.db)).toEqual([]);
});
