import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../electron/contract/client.ts';
import { type InProcessServer, startInProcess } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dataDir = temporaryFolder();
let server: InProcessServer;
let client: Client;

const upload = async (name: string): Promise<string> => {
  const body = new FormData();
  body.set('file', new File(['a note'], name));
  body.set('metadata', '{"project":"alpha"}');
  return (await client.call('uploadFile', { body })).data.file.key;
};

/** Writes into the database as a program that is not Earshot could. */
const write = (sql: string, ...values: string[]): void => {
  const file = new BetterSqlite3(join(dataDir, 'earshot.db'));
  expect(file.prepare(sql).run(...values).changes).toBe(1);
  file.close();
};

beforeAll(async () => {
  server = await startInProcess({ dataDir });
  client = createClient({ baseUrl: server.url, key: server.key });
});
afterAll(async () => {
  await server.close();
});

it.each(['{garbage', '', '[]', '7', 'null'])(
  'metadata that is %j keeps no file from being listed',
  async (text) => {
    const damaged = await upload('damaged.txt');
    const good = await upload('good.txt');
    write('UPDATE files SET metadata = ? WHERE key = ?', text, damaged);
    const { data } = await client.call('listFiles', {});
    const metadataOf = (key: string) => data.files.find((file) => file.key === key)?.metadata;
    expect([metadataOf(damaged), metadataOf(good)]).toEqual([{}, { project: 'alpha' }]);
    for (const fileKey of [damaged, good]) await client.call('deleteFile', { params: { fileKey } });
  },
);

const create = async (): Promise<string> => {
  const body = { audio_url: 'http://127.0.0.1:1/talk.mp3', wait_until_complete: true };
  return (await client.call('createTranscript', { body })).id;
};

it.each(['{garbage', '7'])('analyses that are %j keep no transcript from being read', async (text) => {
  const [damaged, good] = [await create(), await create()];
  write('UPDATE transcripts SET warnings = ?, analysis = ? WHERE id = ?', text, text, damaged);
  const { data } = await client.call('listTranscripts', {});
  expect(data.transcriptions.map(({ id }) => id)).toEqual(expect.arrayContaining([damaged, good]));
  expect((await client.call('getTranscript', { params: { id: damaged } })).status).toBe('failed');
  for (const id of [damaged, good]) await client.call('deleteTranscript', { params: { id } });
});

it('options that cannot be read are said to be damaged', async () => {
  const id = await create();
  write('UPDATE transcripts SET options = ? WHERE id = ?', '{garbage', id);
  await expect(client.call('getTranscript', { params: { id } })).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.stringContaining('in the database is damaged'),
  });
});
