import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../support/server.ts';

const FOUR_GIB = 4 * 1024 ** 3;

let server: InProcessServer;

beforeAll(async () => {
  server = await startInProcess({ settings: { 'limits.uploadsPer15Minutes': 2 } });
});
afterAll(() => server.close());

/** Announces a body, and sends none of it. */
const announce = async (path: string, type: string) => {
  const asked = request(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': type,
      'content-length': FOUR_GIB,
    },
  });
  asked.on('error', () => undefined);
  asked.flushHeaders();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response === undefined) throw new Error('There was no response.');
  const body = await json(response);
  asked.destroy();
  return { status: response.statusCode, body };
};

it.each([
  ['/v1/audio/transcriptions', 'multipart/form-data; boundary=x'],
  ['/v1/audio/translations', 'multipart/form-data; boundary=x'],
  ['/v2/upload', 'application/octet-stream'],
] as const)('%s refuses a body that announces more than the limit before it is read', async (path, type) => {
  expect(await announce(path, type)).toMatchObject({ status: 413, body: { error: expect.anything() } });
});

it('uploads in AssemblyAI’s form are not counted by the limit of uploads', async () => {
  const upload = async () => {
    const headers = { authorization: server.key, 'content-type': 'application/octet-stream' };
    const response = await fetch(`${server.url}/v2/upload`, {
      method: 'POST',
      headers,
      body: 'no recording',
    });
    return response.status;
  };
  const statuses = [await upload(), await upload(), await upload(), await upload()];
  expect(statuses).not.toContain(429);
  expect(new Set(statuses).size).toBe(1);
});
