import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemCode } from '../../electron/core/base/errors.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { transcribe } from '../support/transcribe.ts';
import { until } from '../support/until.ts';
import { startUrlServer, type UrlServer } from '../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;
let id: string;

/** Words without their beginnings, which the index shares between neighboring words. */
const TRACES = ['ylophonist', 'uetzalcoatl'];

const patch = async (text: string): Promise<void> => {
  const segments = [{ id: 0, text }];
  await server.client.call('patchTranscript', { params: { id }, body: { segments, name: text } });
};

/** Empty for a file that is removed meanwhile, as the unfinished copy for a backup is. */
const contentOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1').toLowerCase();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return '';
  }
};

/** Every file of the data folder that contains one of the words, in any case. */
const traces = (): string[] =>
  readdirSync(server.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const text = contentOf(path);
      return TRACES.some((trace) => text.includes(trace));
    });

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

beforeEach(async () => {
  await transcribe(server, remote, '00-one-sentence.wav');
  ({ id } = await transcribe(server, remote, '01-short-note.wav'));
  await patch('The xylophonist met Quetzalcoatl.');
  await server.client.call('createBackup');
  await server.stop();
  server = await startServer({ dataDir: server.dataDir });
  expect(traces()).toContainEqual(expect.stringContaining(join('backups', 'earshot-')));
});

const remove = () => server.client.call('deleteTranscript', { params: { id } });
const replace = () => patch('The pianist met nobody.');

it('the name and the metadata of a deleted file are in no file after a while', async () => {
  await remove();
  await until(() => traces().length === 0);
  const body = new FormData();
  body.set('file', new File(['a note'], 'Xylophonist.txt'));
  body.set('metadata', JSON.stringify({ guest: 'Quetzalcoatl' }));
  const { data } = await server.client.call('uploadFile', { body });
  await server.client.call('createBackup');
  expect(traces()).toContainEqual(expect.stringContaining(join('backups', 'earshot-')));
  await server.client.call('deleteFile', { params: { fileKey: data.file.key } });
  await until(() => traces().length === 0);
});

describe.each([
  ['deleted', remove],
  ['replaced', replace],
])('text that is %s', (_how, act) => {
  it('is in no file after a while', async () => {
    await act();
    await until(() => traces().length === 0);
  });

  it('is in no file after a stop', async () => {
    await act();
    await server.stop();
    const left = traces();
    server = await startServer({ dataDir: server.dataDir });
    expect(left).toEqual([]);
  });
});
