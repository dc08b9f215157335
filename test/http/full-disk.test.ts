import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const upload = async (server: TestServer, name: string): Promise<string> => {
  const body = new FormData();
  body.set('file', new File(['a note '.repeat(2000)], name));
  const { data } = await server.client.call('uploadFile', { body });
  return data.file.key;
};

const remove = (server: TestServer, fileKey: string) =>
  server.client.call('deleteFile', { params: { fileKey } });

it('with a full disk, deleting works, and so does a restart', async ({ skip }) => {
  const disk = await smallDisk(160);
  if (disk === undefined) return skip('this account cannot mount a small file system');
  try {
    const dataDir = join(disk.path, 'data');
    const reserve = join(dataDir, 'earshot.reserve');
    let server = await startServer({ dataDir });
    const keys = [];
    for (const name of ['one.txt', 'two.txt', 'three.txt', 'four.txt']) keys.push(await upload(server, name));
    const [one = '', two = '', three = '', four = ''] = keys;
    await until(() => existsSync(reserve));
    expect(statSync(reserve).mode & 0o777).toBe(0o600);

    const free = await fillDisk(disk.path);
    await expect(upload(server, 'five.txt')).rejects.toMatchObject({ status: 507 });
    await remove(server, one);
    await remove(server, two);
    await free();
    await until(() => existsSync(reserve));

    const freeAgain = await fillDisk(disk.path);
    expect(await server.stop()).toBe(0);
    await freeAgain();
    await fillDisk(disk.path);
    server = await startServer({ dataDir });
    expect(existsSync(reserve)).toBe(false);
    await remove(server, three);
    const { data } = await server.client.call('listFiles', {});
    expect(data.files.map(({ key }) => key)).toEqual([four]);
    expect(await server.stop()).toBe(0);
  } finally {
    await disk.release();
  }
});
