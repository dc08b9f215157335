import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../../electron/contract/client.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';

const JOBS = 80;

let server: TestServer;
let second: Client;
let secondKey: string;

/** Nothing is ever fetched from here: the queue stays paused. */
const body = (name: string) => ({ audio_url: 'http://127.0.0.1:9/never.wav', name });
const waiting = async (client: Client) => (await client.call('getQueue')).data.waiting;
const names = async (client: Client) => (await waiting(client)).map(({ name }) => name);
const places = async (client: Client) => (await waiting(client)).map((job) => job.queue_position);

beforeAll(async () => {
  server = await startServer();
  await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 0 } });
  await server.client.call('pauseQueue');
  const { data } = await server.client.call('createUser', { body: { name: 'second' } });
  secondKey = data.key.key;
  second = server.as(secondKey);
});
afterAll(() => discard(server));

it(`accepts ${JOBS} jobs of two users at once and claims them in turn`, async () => {
  const made = await Promise.all(
    Array.from({ length: JOBS }, (_, n) =>
      (n < JOBS / 2 ? server.client : second).call('createTranscript', { body: body(`job ${n}`) }),
    ),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(JOBS);
  expect(made.every(({ status }) => status === 'processing')).toBe(true);
  const [mine, theirs] = [await places(server.client), await places(second)];
  expect([...mine, ...theirs].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: JOBS }, (_, n) => n + 1),
  );
  // However the requests came in: the n-th of each user before anybody's next.
  for (let n = 0; n < JOBS / 2; n++) {
    expect([mine[n], theirs[n]].toSorted((a = 0, b = 0) => a - b)).toEqual([2 * n + 1, 2 * n + 2]);
  }
});

it('shows a job’s position in its own answer, and keeps all positions after SIGKILL', async () => {
  const before = await waiting(second);
  const last = before.at(-1);
  const { progress } = await second.call('getTranscript', { params: { id: last?.id ?? '' } });
  expect(progress?.queue_position).toBe(last?.queue_position);
  await server.kill();
  server = await startServer({ dataDir: server.dataDir });
  second = server.as(secondKey);
  expect((await server.client.call('getQueue')).data.paused).toBe(true);
  expect(await waiting(second)).toEqual(before);
});

it('moves a job among those of its user, and only those', async () => {
  const before = await names(second);
  const others = await waiting(server.client);
  const moved = (await waiting(second)).at(-1);
  const params = { id: moved?.id ?? '' };
  await second.call('moveInQueue', { params, body: { position: 1 } });
  expect(await names(second)).toEqual([moved?.name, ...before.slice(0, -1)]);
  expect(await waiting(server.client)).toEqual(others);
  await expect(server.client.call('moveInQueue', { params, body: { position: 1 } })).rejects.toMatchObject({
    code: 'transcript_not_found',
  });
});

it('removes a cancelled job, which cannot be moved any more', async () => {
  const [first] = await waiting(second);
  const params = { id: first?.id ?? '' };
  await second.call('cancelTranscript', { params });
  expect((await waiting(second)).length).toBe(JOBS / 2 - 1);
  await expect(second.call('moveInQueue', { params, body: { position: 1 } })).rejects.toMatchObject({
    code: 'not_queued',
  });
});
