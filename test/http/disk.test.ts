import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiError } from '../../electron/contract/client.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => discard(server));

const partsOf = async (): Promise<Map<string, number>> => {
  const { data } = await server.client.call('diskUsage');
  expect(data.total).toBe(data.parts.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(data.free).toBeGreaterThan(0);
  const sizes = data.parts.map(({ bytes }) => bytes);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  return new Map(data.parts.map(({ part, bytes }) => [part, bytes]));
};

it('tells what each part of the data folder takes, without following links', async () => {
  const before = await partsOf();
  expect(before.get('database')).toBeGreaterThan(4096);
  const form = new FormData();
  form.append('file', new Blob(['x'.repeat(10_000)]), 'notes.txt');
  await server.client.call('uploadFile', { body: form });
  const deep = join(server.dataDir, 'models', 'a', 'b');
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'part.bin'), Buffer.alloc(5000));
  writeFileSync(join(server.dataDir, 'mine.bin'), Buffer.alloc(3000));
  symlinkSync('/usr', join(deep, 'link'));
  const after = await partsOf();
  const grown = (part: string) => (after.get(part) ?? 0) - (before.get(part) ?? 0);
  expect(grown('files')).toBe(10_000);
  // The link itself takes the length of its target.
  expect(grown('models')).toBe(5000 + '/usr'.length);
  expect(grown('other')).toBe(3000);
});

it('tells the owner alone', async () => {
  const { data } = await server.client.call('createUser', { body: { name: 'María' } });
  const refused = server.as(data.key.key).call('diskUsage');
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject({ status: 403 });
});
