import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../electron/contract/client.ts';
import { routes } from '../../../electron/contract/routes.ts';
import { findFileByKey, writeIntents } from '../../../electron/core/stores/files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, freshStorage, newUser, objectsIn, upload } from './support/client.ts';

const root = temporaryFolder();
const storage = await freshStorage({ dataDir: root });
const { service, uploads, presign } = storage.files;
const objects = join(root, 'objects');

describe('deleting a file', () => {
  it('is published to its user only', async () => {
    const [user, other] = [newUser(storage), newUser(storage)];
    const heard: string[] = [];
    const overheard: string[] = [];
    const stop = [
      storage.events.subscribe(user.id, ({ event }) => heard.push(event.type)),
      storage.events.subscribe(other.id, ({ event }) => overheard.push(event.type)),
    ];
    const { file } = await upload(user, 'a.txt', 'x');
    await user.client.call('deleteFile', { params: { fileKey: file.key } });
    expect([heard, overheard]).toEqual([['file.created', 'file.deleted'], []]);
    for (const end of stop) end();
  });

  it('is allowed to its owner only', async () => {
    const [user, other] = [newUser(storage), newUser(storage)];
    const { file } = await upload(user, 'a.txt', 'x', { public: 'true' });
    const attempt = other.client.call('deleteFile', { params: { fileKey: file.key } });
    await expect(attempt).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
    const change = other.client.call('patchFile', { params: { fileKey: file.key }, body: { public: false } });
    await expect(change).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
    expect(service.ownFile(user.id, file.key)?.isPublic).toBe(true);
  });
});

describe('deleting a user', () => {
  it('removes every file, and objects of deleted rows are swept', async () => {
    const before = objectsIn(objects);
    const user = newUser(storage);
    const owner = createClient({ baseUrl: storage.url, key: storage.key });
    for (const name of ['a.txt', 'b.txt']) await upload(user, name, 'x');
    await owner.call('deleteUser', { params: { id: user.id } });
    expect(objectsIn(objects)).toEqual(before);

    const second = newUser(storage);
    const { file } = await upload(second, 'c.txt', 'x');
    const row = findFileByKey(storage.db, file.key);
    storage.accounts.removeUser(second.id);
    expect(writeIntents(storage.db)).toEqual([row?.object]);
    expect(await storage.files.sweep()).toBe(1);
    expect(objectsIn(objects)).toEqual(before);
  });
});

describe('the server’s own URLs', () => {
  it('are recognized', async () => {
    const user = newUser(storage);
    const { file } = await upload(user, 'Ö ü.txt', 'x', { public: 'true' });
    const row = service.requireOwn(user.id, file.key);
    const { host, port } = new URL(storage.url);
    const own = [
      `storage:${file.key}`,
      `storage:${file.key.slice(1)}`,
      file.urls.download,
      `${file.urls.download}?inline=true`,
      file.urls.direct ?? '',
      `http://localhost:${port}/cdn${encodeURI(file.key)}`,
      presign.downloadUrl(row, 60).url,
    ];
    for (const url of own) expect([url, service.resolveUrl(url)]).toEqual([url, file.key]);
    const others = [
      `https://${host}/cdn${file.key}`,
      `http://example.com:${port}/cdn${file.key}`,
      `http://127.0.0.1:1/cdn${file.key}`,
      `${storage.url}/v1/storage/info`,
      `${storage.url}/cdn/%E0%A4%A`,
      `${storage.url}/v1/storage/presigned/no.token`,
      'file:///etc/passwd',
      'not a url',
    ];
    for (const url of others) expect([url, service.resolveUrl(url)]).toEqual([url, undefined]);
  });

  it('lead to a path that ffmpeg can read', async () => {
    const user = newUser(storage);
    const { file } = await upload(user, 'a.txt', 'readable');
    const found = await service.locate(file.id);
    expect(found).toMatchObject({ name: 'a.txt', size: 8 });
    expect(existsSync(found?.path ?? '')).toBe(true);
    expect(await service.locate('file_none')).toBeUndefined();
  });
});

it('a file stored through the service is checked like an upload over HTTP', async () => {
  const user = newUser(storage);
  const chunks = async function* () {
    yield Buffer.from('from ');
    yield Buffer.from('inside');
  };
  const input = { userId: user.id, source: chunks(), fileName: 'inside.txt', declaredType: 'text/plain' };
  const { file, info } = await uploads.store({ ...input, metadata: { by: 'test' } });
  expect(file).toMatchObject({ size: 11, originalName: 'inside.txt' });
  expect(info.scan).toEqual({ engine: 'builtin', clean: true });
  const leave = AbortSignal.abort();
  await expect(uploads.store({ ...input, source: chunks(), signal: leave })).rejects.toThrow();
  await expect(uploads.store({ ...input, source: chunks(), fileName: 'a.exe' })).rejects.toMatchObject({
    code: 'unsupported_file_type',
  });
  const answer = await fetch(`${storage.url}/v1/storage/download${file.key}`, { headers: bearer(user) });
  expect(await answer.text()).toBe('from inside');
});

it('names every storage route of the contract', () => {
  const paths = Object.values(routes)
    .filter(({ tag }) => tag === 'Storage')
    .map(({ method, path }) => `${method} ${path}`);
  expect(paths.sort()).toEqual([
    'DELETE /v1/storage/file/{fileKey}',
    'DELETE /v1/storage/recordings/{id}',
    'GET /cdn/{fileKey}',
    'GET /v1/storage/cors-config',
    'GET /v1/storage/download-url/{fileKey}',
    'GET /v1/storage/download/{fileKey}',
    'GET /v1/storage/export',
    'GET /v1/storage/export/{fileKey}',
    'GET /v1/storage/file/{fileKey}',
    'GET /v1/storage/files',
    'GET /v1/storage/info',
    'GET /v1/storage/links/{fileKey}',
    'GET /v1/storage/presigned/{token}',
    'GET /v1/storage/recordings/{id}',
    'PATCH /v1/storage/file/{fileKey}',
    'PATCH /v1/storage/recordings/{id}',
    'POST /v1/storage/configure-cors',
    'POST /v1/storage/import',
    'POST /v1/storage/presigned-upload',
    'POST /v1/storage/recordings',
    'POST /v1/storage/recordings/{id}/finish',
    'POST /v1/storage/upload',
    'POST /v1/storage/verify',
    'PUT /v1/storage/presigned/{token}',
  ]);
});
