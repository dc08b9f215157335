import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiError, type Client } from '../../../electron/contract/client.ts';
import { fixture } from '../../support/fixtures.ts';
import { startServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { freshStorage, newUser } from './support/client.ts';

const SOUND = new Uint8Array(fixture('01-short-note.wav'));
const HALF = Math.floor(SOUND.length / 2);
/** Of a recording whose sender goes: no busy machine takes as long for its first chunk. */
const LEFT_SECONDS = 8;
/** A list is asked for over all of them. */
const POLL_MS = 500;

const start = async (client: Client, timeoutSeconds = 120): Promise<string> => {
  const body = { filename: 'recording.wav', contentType: 'audio/wav', folder: 'recordings', timeoutSeconds };
  return (await client.call('startRecording', { body })).data.id;
};
const append = async (client: Client, id: string, from: number, to: number) => {
  const body = new Blob([SOUND.slice(from, to)]);
  return (await client.call('appendRecording', { params: { id }, query: { offset: from }, body })).data;
};
const codeOfError = (error: unknown): string =>
  error instanceof ApiError ? error.code : `no error: ${error}`;
const codeOf = (promise: Promise<unknown>): Promise<string> => promise.then(() => 'no error', codeOfError);

describe('a recording that is stored while it is made', async () => {
  const storage = await freshStorage();
  const { client } = newUser(storage);
  const other = newUser(storage).client;
  const openFiles = () => readdirSync(storage.paths.recordings);

  it('becomes a file of all its chunks under the id that it had', async () => {
    const id = await start(client);
    expect(await append(client, id, 0, HALF)).toMatchObject({ offset: HALF, filename: 'recording.wav' });
    // A lost answer: the sender repeats the chunk, and asks where to go on.
    expect(await codeOf(append(client, id, 0, HALF))).toBe('conflict');
    const { data } = await client.call('getRecording', { params: { id } });
    await append(client, id, data.offset, SOUND.length);
    const finished = await client.call('finishRecording', { params: { id }, body: {} });
    expect(finished.data.file).toMatchObject({
      id,
      original_name: 'recording.wav',
      folder: 'recordings',
      mime_type: 'audio/wav',
      size: SOUND.length,
      metadata: {},
    });
    const again = await client.call('finishRecording', { params: { id }, body: {} });
    expect(again.data.file.key).toBe(finished.data.file.key);
    const stored = await client.send('downloadFile', { params: { fileKey: finished.data.file.key } });
    expect(Buffer.from(await stored.arrayBuffer()).equals(SOUND)).toBe(true);
    expect(openFiles()).toEqual([]);
  });

  it('is finished after a chunk that is still being written, as when its window is closed', async () => {
    const sizes = new Set([HALF, SOUND.length]);
    for (let i = 0; i < 8; i++) {
      const id = await start(client);
      await append(client, id, 0, HALF);
      const [chunk, { data }] = await Promise.all([
        append(client, id, HALF, SOUND.length).catch(codeOfError),
        client.call('finishRecording', { params: { id }, body: { interrupted: true } }),
      ]);
      expect(sizes).toContain(data.file.size);
      // One that came after it finds no recording.
      if (data.file.size === HALF) expect(chunk).toBe('file_not_found');
      else expect(chunk).toMatchObject({ offset: SOUND.length });
      await client.call('deleteFile', { params: { fileKey: data.file.key } });
    }
    expect(openFiles()).toEqual([]);
  });

  it('belongs to one user', async () => {
    const id = await start(client);
    const params = { id };
    for (const call of [
      () => other.call('getRecording', { params }),
      () => append(other, id, 0, 10),
      () => other.call('finishRecording', { params, body: {} }),
      () => other.call('discardRecording', { params }),
    ])
      expect(await codeOf(call())).toBe('file_not_found');
    await client.call('discardRecording', { params });
    expect(await codeOf(client.call('getRecording', { params }))).toBe('file_not_found');
    expect(openFiles()).toEqual([]);
  });

  it('is refused as an upload is: without sound, with other content, over the quota', async () => {
    const empty = await start(client);
    expect(await codeOf(client.call('finishRecording', { params: { id: empty }, body: {} }))).toBe(
      'conflict',
    );
    const text = await start(client);
    await client.call('appendRecording', { params: { id: text }, body: new Blob(['no sound at all']) });
    expect(await codeOf(client.call('finishRecording', { params: { id: text }, body: {} }))).toBe(
      'unsupported_file_type',
    );
    const poor = newUser(storage, { storage_limit: HALF }).client;
    const id = await start(poor);
    await append(poor, id, 0, HALF);
    expect(await codeOf(append(poor, id, HALF, SOUND.length))).toBe('storage_limit_exceeded');
    // What was stored still fits.
    await poor.call('finishRecording', { params: { id }, body: {} });
    for (const left of [empty, text]) await client.call('discardRecording', { params: { id: left } });
  });

  it('becomes a recovered file when its sender is gone, and at once when that says so', async () => {
    const ours = newUser(storage).client;
    const [closed, empty] = [await start(ours), await start(ours, 2)];
    await append(ours, closed, 0, HALF);
    const left = await start(ours, LEFT_SECONDS);
    await append(ours, left, 0, HALF);
    await ours.call('finishRecording', { params: { id: closed }, body: { interrupted: true } });
    const recovered = async () =>
      (await ours.call('listFiles', { query: { 'metadata[recovered]': 'true' } })).data.files;
    await until(async () => (await recovered()).length === 2, undefined, POLL_MS);
    expect((await recovered()).map(({ id }) => id).sort()).toEqual([left, closed].sort());
    for (const file of await recovered()) expect(file.original_name).toBe('Recovered recording.wav');
    await until(() => !openFiles().some((name) => name.includes(empty)));
  });
});

it('survives the death of the server: its sender goes on, and what nobody continues is recovered', async () => {
  const dataDir = temporaryFolder();
  const first = await startServer({ dataDir });
  const continued = await start(first.client);
  await append(first.client, continued, 0, HALF);
  const left = await start(first.client, LEFT_SECONDS);
  await append(first.client, left, 0, HALF);
  await first.kill();
  expect(readdirSync(join(dataDir, 'recordings'))).toHaveLength(4);
  const second = await startServer({ dataDir });
  const { data } = await second.client.call('getRecording', { params: { id: continued } });
  expect(data.offset).toBe(HALF);
  await append(second.client, continued, HALF, SOUND.length);
  const { file } = (await second.client.call('finishRecording', { params: { id: continued }, body: {} }))
    .data;
  expect(file).toMatchObject({ size: SOUND.length, metadata: {} });
  const files = async () =>
    (await second.client.call('listFiles', { query: { 'metadata[recovered]': 'true' } })).data.files;
  await until(async () => (await files()).length === 1, undefined, POLL_MS);
  expect(await files()).toMatchObject([{ id: left, size: HALF }]);
  await second.stop();
});
