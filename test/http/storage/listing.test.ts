import { beforeAll, describe, expect, it } from 'vitest';
import { bearer, errorOf, freshStorage, newUser, upload } from './support/client.ts';

const storage = await freshStorage();
const user = newUser(storage);
const other = newUser(storage);

type Query = Record<string, string | number>;
const list = async (query: Query = {}) =>
  // The client's type has no `metadata[…]`; the server validates the query.
  (await user.client.call('listFiles', { query: query as never })).data;
const names = async (query: Query) => (await list(query)).files.map((file) => file.original_name);

beforeAll(async () => {
  const add = (name: string, text: string, folder: string, metadata: object) =>
    upload(user, name, text, { folder, metadata: JSON.stringify(metadata) });
  await add('beta.txt', 'bb', 'notes', { project: 'Aurora', tags: ['red', 'blue'], n: 7 });
  await add('Alpha.txt', 'a', 'notes', { project: 'Boreas', inner: { deep: true } });
  await add('gamma_100%.csv', 'ccc', 'tables/2026', { project: 'Aurora' });
  await add('Žluť.txt', 'dddd', 'notes', {});
  await upload(other, 'secret.txt', 'x', { metadata: '{"project":"Aurora"}' });
});

describe('the list of files', () => {
  it('has the newest first, with folders and pagination', async () => {
    const all = await list();
    expect(all.files.map((file) => file.original_name)).toEqual([
      'Žluť.txt',
      'gamma_100%.csv',
      'Alpha.txt',
      'beta.txt',
    ]);
    expect(all.folders).toEqual(['notes', 'tables/2026']);
    expect(all.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 4,
      pages: 1,
      hasNext: false,
      hasPrev: false,
    });
    const second = await list({ page: 2, limit: 3 });
    expect(second.files.map((file) => file.original_name)).toEqual(['beta.txt']);
    expect(second.pagination).toEqual({
      page: 2,
      limit: 3,
      total: 4,
      pages: 2,
      hasNext: false,
      hasPrev: true,
    });
    expect((await list({ page: 99 })).files).toEqual([]);
  });

  it('sorts', async () => {
    expect(await names({ sort: 'name', order: 'asc' })).toEqual([
      'Alpha.txt',
      'beta.txt',
      'gamma_100%.csv',
      'Žluť.txt',
    ]);
    expect(await names({ sort: 'size', order: 'desc', limit: 2 })).toEqual(['Žluť.txt', 'gamma_100%.csv']);
  });

  it('filters by folder, key prefix and part of a name', async () => {
    expect(await names({ folder: 'tables/2026' })).toEqual(['gamma_100%.csv']);
    expect((await list({ folder: 'notes' })).pagination.total).toBe(3);
    expect(await names({ prefix: `/${user.id}/tables/` })).toEqual(['gamma_100%.csv']);
    expect(await names({ prefix: `${user.id}/notes/Alp` })).toEqual(['Alpha.txt']);
    expect(await names({ prefix: 'notes/Alp' })).toEqual(['Alpha.txt']);
    expect(await names({ prefix: `/${other.id}/` })).toEqual([]);
    expect(await names({ q: 'AMM' })).toEqual(['gamma_100%.csv']);
    expect(await names({ q: 'žlu' })).toEqual(['Žluť.txt']);
    expect(await names({ q: '0%' })).toEqual(['gamma_100%.csv']);
    expect(await names({ q: '%' })).toEqual(['gamma_100%.csv']);
    expect(await names({ q: '"a" OR "b"' })).toEqual([]);
    expect(await names({ q: 'boreas' })).toEqual(['Alpha.txt']);
  });

  it('filters by metadata', async () => {
    expect(await names({ 'metadata[project]': 'Aurora' })).toEqual(['gamma_100%.csv', 'beta.txt']);
    expect(await names({ 'metadata[project]': 'Aurora', 'metadata[tags]': 'blue' })).toEqual(['beta.txt']);
    expect(await names({ 'metadata[n]': 7 })).toEqual(['beta.txt']);
    expect(await names({ 'metadata[inner.deep]': 'true' })).toEqual(['Alpha.txt']);
    expect(await names({ 'metadata[project]': 'aurora' })).toEqual([]);
    expect(await names({ 'metadata[project]': 'Aurora', folder: 'notes', q: 'bet' })).toEqual(['beta.txt']);
  });

  it('reflects changes and deletions', async () => {
    const { file } = await upload(user, 'delta.txt', 'd', { metadata: '{"stage":"one"}', folder: 'brief' });
    await user.client.call('patchFile', {
      params: { fileKey: file.key },
      body: { metadata: { stage: 'two' } },
    });
    expect(await names({ 'metadata[stage]': 'one' })).toEqual([]);
    expect(await names({ 'metadata[stage]': 'two' })).toEqual(['delta.txt']);
    expect(await names({ q: 'two' })).toEqual(['delta.txt']);
    await user.client.call('deleteFile', { params: { fileKey: file.key } });
    expect(await names({ 'metadata[stage]': 'two' })).toEqual([]);
    expect((await list()).folders).not.toContain('brief');
  });

  it('refuses unknown parameters', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'page=0',
      'sort=key',
      'order=up',
      'colour=red',
      'metadata=x',
    ]) {
      const response = await fetch(`${storage.url}/v1/storage/files?${query}`, { headers: bearer(user) });
      expect([query, (await errorOf(response)).status]).toEqual([query, 400]);
    }
  });
});
