import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => discard(server));

const BOUNDARY = 'x-boundary';
const part = (head: string, body: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const field = (name: string, value: string) => part(`name="${name}"`, value);
const file = (body: string, name = 'a.wav') => part(`name="file"; filename="${name}"`, body);

/** Expects a 4xx answer in the error form of the route, with a message. */
const refused = async (response: Response, openAi: boolean): Promise<void> => {
  const body: { error?: unknown } = JSON.parse(await response.text());
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  if (openAi) expect(body.error).toMatchObject({ message: expect.stringMatching(/\w+ \w+/) });
  else expect(body).toMatchObject({ success: false, error: expect.stringMatching(/\w+ \w+/) });
};

describe('malformed requests to OpenAI’s routes', () => {
  const post = (body: string, type = `multipart/form-data; boundary=${BOUNDARY}`) =>
    server.fetch('/v1/audio/transcriptions', { method: 'POST', body, headers: { 'content-type': type } });

  it.each<[string, string, string?]>([
    ['nothing', ''],
    ['the end alone', END],
    ['no end', field('model', 'whisper-1')],
    [
      'a file that ends early',
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF`,
    ],
    ['no boundary', field('model', 'whisper-1') + END, 'multipart/form-data'],
    ['another boundary', field('model', 'whisper-1') + END, 'multipart/form-data; boundary=other'],
    ['a file under another name', part('name="audio"; filename="a.wav"', 'RIFF') + END],
    ['a file without a name', part('name="file"', 'RIFF') + END],
    ['a part without a name', part('filename="a.wav"', 'RIFF') + END],
    ['a field without a name', field('model', 'mini') + part('', 'x').replace('; ', '') + END],
    ['a part without a disposition', `--${BOUNDARY}\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n${END}`],
    ['two files', file('RIFF') + file('RIFF') + END],
    ['a model twice', field('model', 'mini') + field('model', 'pro') + file('RIFF') + END],
    ['names of the prototype', field('__proto__', 'x') + field('constructor', 'y') + END],
    ['a list that is a value as well', field('include', 'a') + field('include[]', 'b') + END],
    ['a hundred fields', Array.from({ length: 100 }, (_, i) => field(`f${i}`, 'x')).join('') + END],
    ['a field of a megabyte', field('prompt', 'x'.repeat(2 ** 20)) + END],
    ['a program called audio', field('model', 'mini') + file('MZ\x90\0\x03', 'a.exe') + END],
    ['a path for a name', field('model', 'mini') + file('RIFF', '../../etc/passwd') + END],
  ])('%s', async (_, body, type) => {
    await refused(await post(body, type), true);
  });

  it('a client that disconnects during the upload leaves nothing behind', async () => {
    const { hostname, port } = new URL(server.url);
    const head = [
      'POST /v1/audio/transcriptions HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${server.key}`,
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length: 1000000',
      '',
      file('RIFF').trimEnd(),
    ].join('\r\n');
    await new Promise<void>((done) => {
      const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.destroy()));
      socket.once('close', () => done());
    });
    const { data } = await server.client.call('storageInfo');
    expect(data.fileCount).toBe(0);
    expect((await server.fetch('/v1/health')).status).toBe(200);
  });
});

describe('malformed requests to AssemblyAI’s routes', () => {
  const send = (path: string, init: RequestInit = {}) =>
    server.fetch(path, {
      ...init,
      headers: { authorization: server.key, 'content-type': 'application/json' },
    });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{}',
    '{"audio_url":1}',
    '{"audio_url":""}',
    '{"audio_url":"file:///etc/passwd"}',
    '{"audio_url":"http://x/a.mp3","speech_models":[""]}',
    '{"audio_url":"http://x","__proto__":{"a":1},"b":1}',
  ])('POST /v2/transcript with %j', async (body) => {
    await refused(await send('/v2/transcript', { method: 'POST', body }), false);
  });

  it.each([
    '/v2/transcript?limit=0',
    '/v2/transcript?limit=201',
    '/v2/transcript?status=done',
    '/v2/transcript?created_on=yesterday',
    '/v2/transcript?colour=red',
    '/v2/transcript/..%2f..%2fetc',
    `/v2/transcript/${'x'.repeat(200)}`,
    '/v2/transcript/tr_none/sentences',
    '/v2/transcript/tr_none/word-search',
    '/v2/transcript/tr_none/srt?chars_per_caption=0',
    '/v2/nothing',
  ])('GET %s', async (path) => {
    await refused(await send(path), false);
  });

  it('unknown cursors give an empty list', async () => {
    for (const query of [
      'before_id=%00',
      "after_id=zzz'--",
      'before_id=tr_&after_id=tr_',
      'throttled_only=true',
    ]) {
      const response = await send(`/v2/transcript?${query}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        transcripts: [],
        page_details: { prev_url: null, next_url: null },
      });
    }
  });

  it('an empty upload', async () => {
    await refused(await send('/v2/upload', { method: 'POST', body: '' }), false);
  });
});

describe('malformed messages to /mcp', () => {
  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1,"method":"nothing"}',
    '[1,2]',
  ])('%j', async (body) => {
    const response = await server.fetch('/mcp', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    expect(response.status).toBeLessThan(500);
    await response.text();
  });
});
