import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../support/server.ts';

const BODY = Buffer.alloc(8 * 1024 * 1024, 'x');
const FIRST_BYTES = 64 * 1024;

let server: InProcessServer;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  server = await startInProcess();
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

type Headers = Readonly<Record<string, string>>;

const responseOf = async (asked: ReturnType<typeof request>): Promise<IncomingMessage> => {
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response === undefined) throw new Error('There was no response.');
  return response;
};

/** Sends the beginning of a body, and the rest only when the answer has come. */
const post = async (path: string, headers: Headers) => {
  const asked = request(server.url + path, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-length': BODY.length, ...headers },
  });
  asked.write(BODY.subarray(0, FIRST_BYTES));
  const response = await responseOf(asked);
  const body = await json(response);
  asked.end(BODY.subarray(FIRST_BYTES));
  await once(asked, 'close');
  return { status: response.statusCode, body };
};

it.each([
  ['of a type that is not supported', '/v1/backups', { 'content-type': 'x/y; z' }, 415],
  ['that is too large', '/v1/transcript', { 'content-type': 'application/json' }, 413],
  ['without a key', '/v1/transcript', { 'content-type': 'application/json', authorization: '' }, 401],
  ['as an upload', '/v1/storage/upload', { 'content-type': 'text/plain' }, 415],
  ['as an OpenAI upload', '/v1/audio/transcriptions', { 'content-type': 'text/plain' }, 415],
] as const)(
  'a body %s is read after its answer, and the connection goes on',
  async (_, path, headers, status) => {
    const answered = await post(path, headers);
    expect(answered).toMatchObject({ status, body: { error: expect.anything() } });
    const next = request(`${server.url}/v1/health`, { agent });
    next.end();
    const response = await responseOf(next);
    expect([response.statusCode, next.reusedSocket]).toEqual([200, true]);
    response.resume();
    await once(response, 'end');
  },
);
