import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { openDatabase } from '../../../electron/core/stores/database.ts';
import { writeSetting } from '../../../electron/core/stores/settings.ts';
import { tinyWav } from '../../support/audio.ts';
import { discard, spawnEarshot, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { form, objectsIn } from './support/client.ts';

let server: TestServer;
let mirror: string;

beforeAll(async () => {
  mirror = temporaryFolder();
  const dataDir = temporaryFolder();
  // Before the start, which the mirrors are read at.
  const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  writeSetting(db, 'limits.uploadsPer15Minutes', 0);
  writeSetting(db, 'limits.deletionsPer15Minutes', 0);
  writeSetting(db, 'storage.mirrors', [mirror]);
  db.close();
  server = await startServer({ dataDir });
});
afterAll(async () => {
  await discard(server);
});

type Result = { code: number; out: string; err: string };

/** Runs `earshot storage` as a program of its own beside the server. */
const earshot = async (...args: string[]): Promise<Result> => {
  const child = await spawnEarshot(['storage', ...args, '--data-dir', server.dataDir]);
  if (child.stdout === null || child.stderr === null) throw new Error('no output to read');
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
};

const upload = async (name: string, content: string): Promise<string> => {
  const { data } = await server.client.call('uploadFile', { body: form(name, content) });
  return data.file.key;
};

const remove = (fileKey: string) => server.client.call('deleteFile', { params: { fileKey } });

const contentOf = async (key: string): Promise<string> =>
  (await server.fetch(`/v1/storage/download${key}`)).text();

/** Copies of the objects with this content. */
const copiesOf = (content: string): string[] =>
  [...objectsIn(join(server.dataDir, 'objects')), ...objectsIn(mirror)].filter(
    (path) => readFileSync(path, 'utf8') === content,
  );

/** The exported texts. */
const textsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .toSorted();

it('verifies, exports and imports beside a running service', async () => {
  const keys = [await upload('one.txt', 'the first note'), await upload('two.txt', 'the second note')];
  const [copy = ''] = copiesOf('the first note');
  writeFileSync(copy, 'another text!!');
  const mended = await earshot('verify', '--json');
  expect([mended.code, JSON.parse(mended.out)]).toEqual([
    0,
    expect.objectContaining({ files: 2, mended: 1, lost: 0, unknown: 0, folders: ['local', 'mirror-1'] }),
  ]);
  expect(copiesOf('the first note')).toHaveLength(2);

  const folder = join(temporaryFolder(), 'export');
  const exported = await earshot('export', folder);
  expect([exported.code, exported.err]).toEqual([0, expect.stringContaining('2 files')]);
  expect(textsIn(folder)).toEqual(['the first note', 'the second note']);

  for (const key of keys) await remove(key);
  const imported = await earshot('import', folder);
  expect([imported.code, imported.err]).toEqual([0, expect.stringContaining('2 files imported, 0 there')]);
  expect(await Promise.all(keys.map(contentOf))).toEqual(['the first note', 'the second note']);
  for (const key of keys) await remove(key);
});

it('names files without an intact copy, and exports the others', async () => {
  const lost = await upload('lost.txt', 'a lost note');
  const cut = await upload('cut.txt', `a note that is cut ${'x'.repeat(600_000)}`);
  const good = await upload('good.txt', 'a good note');
  for (const path of copiesOf('a lost note')) rmSync(path);
  for (const path of copiesOf(await contentOf(cut))) truncateSync(path, 400_000);

  const answer = await server.fetch(`/v1/storage/download${lost}`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    code: 'storage_unavailable',
    error: expect.stringContaining('no intact copy is left'),
  });
  const folder = join(temporaryFolder(), 'export');
  const { code, err } = await earshot('export', folder);
  expect([code, err]).toEqual([1, expect.stringMatching(/1 file, .*, 2 skipped/)]);
  for (const key of [lost, cut]) expect(err).toContain(`${key}: `);
  expect(textsIn(folder)).toEqual(['a good note']);
  for (const key of [lost, cut, good]) await remove(key);
});

it('a transcription of a file without an intact copy, and its audio, say what is wrong', async () => {
  const body = new FormData();
  body.set('file', new File([new Uint8Array(tinyWav())], 'tiny.wav'));
  const { data } = await server.client.call('uploadFile', { body });
  const request = { audio_url: `storage:${data.file.key}`, wait_until_complete: true };
  const { id, status } = await server.client.call('createTranscript', { body: request });
  expect(status).toBe('completed');
  for (const path of copiesOf(tinyWav().toString('utf8'))) rmSync(path);
  const sentence = expect.stringContaining('no intact copy is left');
  const audio = await server.fetch(`/v1/transcript/id/${id}/audio`);
  expect([audio.status, await audio.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'storage_unavailable', error: sentence }),
  ]);
  const again = await server.client.call('createTranscript', { body: request });
  expect(again).toMatchObject({ status: 'failed', error: { code: 'file_not_found', message: sentence } });
  await remove(data.file.key);
});

it('several of them and changes of the library may run side by side', async () => {
  const before = join(temporaryFolder(), 'before');
  const stay = await Promise.all(
    Array.from({ length: 8 }, (_, i) => upload(`stays ${i}.txt`, `note ${i} that stays`)),
  );
  const go = await Promise.all(
    Array.from({ length: 8 }, (_, i) => upload(`goes ${i}.txt`, `note ${i} that goes`)),
  );
  expect((await earshot('export', before)).code).toBe(0);
  for (const key of go.slice(4)) await remove(key);

  let isOver = false;
  const change = async () => {
    for (let i = 0; !isOver; i++) await remove(await upload(`short ${i}.txt`, `a short note ${i}`));
  };
  const changes = change();
  const results = await Promise.all([
    earshot('verify', '--remove-unknown', '--json'),
    earshot('import', before),
    earshot('export', join(temporaryFolder(), 'during')),
  ]);
  isOver = true;
  await changes;
  expect(results.map(({ code, err }) => [code, code === 0 ? '' : err])).toEqual(results.map(() => [0, '']));
  expect(JSON.parse(results[0].out)).toMatchObject({ mended: 0, lost: 0, away: 0, unknown: 0 });
  for (const [i, key] of stay.entries()) expect(await contentOf(key)).toBe(`note ${i} that stays`);
  for (const [i, key] of go.entries()) expect(await contentOf(key)).toBe(`note ${i} that goes`);
  const { data } = await server.client.call('listFiles', { query: { limit: 100 } });
  expect(data.pagination.total).toBe(16);
});

it('is the owner’s alone', async () => {
  const { data } = await server.client.call('createUser', { body: { name: 'Maria' } });
  const maria = server.as(data.key.key);
  const key = await upload('mine.txt', 'not for Maria');
  const refused = { status: 403, code: 'forbidden' };
  await expect(maria.call('verifyFiles', { body: {} })).rejects.toMatchObject(refused);
  await expect(maria.call('listExports', {})).rejects.toMatchObject(refused);
  await expect(maria.send('exportFile', { params: { fileKey: key } })).rejects.toMatchObject(refused);
  const { data: list } = await server.client.call('listExports', {});
  const file = list.files.find((one) => one.key === key);
  if (file === undefined) throw new Error('no file to import');
  const body = { path: '/etc/hostname', file };
  await expect(maria.call('importFile', { body })).rejects.toMatchObject(refused);
  for (const path of ['relative.txt', '/dev/zero', server.dataDir, '/nowhere/at/all.txt']) {
    const other = { ...file, key: file.key.replace('mine', 'other') };
    await expect(server.client.call('importFile', { body: { path, file: other } })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  }
});
