import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyWav } from '../support/audio.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

describe('marked moments', () => {
  let server: TestServer;
  let remote: UrlServer;
  let id: string;

  beforeAll(async () => {
    [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
    const audio_url = remote.set('/tiny.wav', file(tinyWav()));
    await server.client.call('pauseQueue');
    ({ id } = await server.client.call('createTranscript', { body: { audio_url } }));
  });
  afterAll(async () => {
    await Promise.all([discard(server), remote.close()]);
  });

  const marks = async () => (await server.client.call('getTranscript', { params: { id } })).marks;

  it('are kept in order of time, also while a job waits, and after it has run', async () => {
    expect(await marks()).toBeUndefined();
    const body = {
      marks: [
        { at: 2.5, text: 'Later' },
        { at: 0.25, text: 'メモ' },
      ],
    };
    const { data } = await server.client.call('putMarks', { params: { id }, body });
    expect(data.marks).toEqual([body.marks[1], body.marks[0]]);
    await server.client.call('resumeQueue');
    await expect
      .poll(async () => (await server.client.call('getTranscript', { params: { id } })).status, {
        timeout: 60_000,
      })
      .toBe('completed');
    expect(await marks()).toEqual(data.marks);
    await server.client.call('putMarks', { params: { id }, body: { marks: [] } });
    expect(await marks()).toBeUndefined();
  });

  it.each([
    ['a moment before the beginning', { marks: [{ at: -1, text: '' }] }],
    ['a note that is too long', { marks: [{ at: 1, text: 'x'.repeat(2001) }] }],
    ['more than a thousand', { marks: Array.from({ length: 1001 }, (_, at) => ({ at, text: '' })) }],
  ])('refuse %s', async (_, body) => {
    await expect(server.client.call('putMarks', { params: { id }, body })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('of another transcription than one’s own are not found', async () => {
    const params = { id: 'tr_01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    await expect(server.client.call('putMarks', { params, body: { marks: [] } })).rejects.toMatchObject({
      code: 'transcript_not_found',
    });
  });
});
