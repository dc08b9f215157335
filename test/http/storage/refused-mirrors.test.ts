import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClient } from '../../../electron/contract/client.ts';
import { writeSetting } from '../../../electron/core/stores/settings.ts';
import { startInProcess } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { freshStorage, newUser, objectsIn, upload } from './support/client.ts';

const root = temporaryFolder();
const dataDir = join(root, 'data');
const mirror = join(root, 'mirror');
mkdirSync(dataDir);
mkdirSync(mirror);
symlinkSync(dataDir, join(root, 'link'));
symlinkSync(mirror, join(root, 'same'));
writeFileSync(join(root, 'file'), '');

const REFUSED: [mirrors: string[], reason: string][] = [
  [[join(dataDir, 'objects')], 'folder 1: it lies inside the data folder'],
  [[join(dataDir, 'new', 'folder')], 'folder 1: it lies inside the data folder'],
  [[dataDir], 'folder 1: it lies inside the data folder'],
  [[join(root, 'link', 'copies')], 'folder 1: it lies inside the data folder'],
  [['copies'], 'folder 1: it needs a full path'],
  [['~/copies'], 'folder 1: it needs a full path'],
  [[mirror, mirror], 'folder 2: it is the same as an earlier one'],
  [[mirror, `${mirror}/`], 'folder 2: it is the same as an earlier one'],
  [[mirror, join(root, 'same')], 'folder 2: it is the same as an earlier one'],
  [['/proc/earshot'], 'folder 1: it lies in a folder of the system'],
  [['/proc/self/a/b'], 'folder 1: it lies in a folder of the system'],
  [[join(root, 'file')], 'folder 1: there is a file in its place'],
  [[join(root, 'file', 'below')], 'folder 1: there is a file in its place'],
  [['/a\0b'], 'folder 1: its path contains NUL'],
];

it.each(REFUSED)('%j are refused as mirrors', async (mirrors, reason) => {
  const server = await startInProcess({ dataDir });
  const client = createClient({ baseUrl: server.url, key: server.key });
  await expect(client.call('patchSettings', { body: { 'storage.mirrors': mirrors } })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    details: [{ path: 'storage.mirrors', message: expect.stringContaining(reason) }],
  });
  await client.call('patchSettings', { body: { 'storage.mirrors': [mirror] } });
  await client.call('patchSettings', { body: { 'storage.mirrors': null } });
  await server.close();
});

it('mirrors that an earlier version stored and that cannot be used are left out at the start', async () => {
  const before = await startInProcess({ dataDir });
  const stored = [join(dataDir, 'objects'), 'copies', '~/copies', mirror, mirror, '/proc/earshot'];
  writeSetting(before.db, 'storage.mirrors', [...stored, join(root, 'same'), join(root, 'file')]);
  await before.close();
  const storage = await freshStorage({ dataDir });
  const { upload_info: info } = await upload(newUser(storage), 'a.txt', 'a');
  expect(info.storage_region).toBe('local, mirror-1');
  expect(objectsIn(mirror)).toHaveLength(1);
});
