import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneSentence } from '../../support/audio.ts';
import { filesHolding } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Behavior, file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

const PASSWORD = 'geheim-4711-xyzzy';
const dataDir = temporaryFolder();
let urls: UrlServer;
let server: TestServer;

/** Serves the recording to Maria with her password. */
const forMaria = (served: Behavior): Behavior => {
  const expected = `Basic ${Buffer.from(`maria:${PASSWORD}`).toString('base64')}`;
  return (request, response) =>
    request.headers.authorization === expected ? served(request, response) : response.writeHead(401).end();
};

const withLogin = (path: string, password = PASSWORD): string =>
  urls.url(path).replace('http://', `http://maria:${password}@`);

beforeAll(async () => {
  urls = await startUrlServer();
  urls.set('/private.wav', forMaria(file(oneSentence())));
  urls.set('/hook', (_request, response) => response.writeHead(200).end());
  server = await startServer({ dataDir, quick: true, model: 'starter-parakeet' });
});
afterAll(async () => {
  await discard(server);
  await urls.close();
});

it('a login in audio_url is used after a crash, never shown, and deleted with the end of the job', async () => {
  await server.client.call('pauseQueue');
  const created = await server.client.call('createTranscript', {
    body: { audio_url: withLogin('/private.wav'), webhook_url: withLogin('/hook') },
  });
  expect(created.audio_url).toBe(urls.url('/private.wav'));
  await server.kill();
  server = await startServer({ dataDir, quick: true, model: 'starter-parakeet' });
  await server.client.call('resumeQueue');
  const params = { id: created.id };
  await expect
    .poll(() => server.client.call('getTranscript', { params }))
    .toMatchObject({ status: 'completed', audio_url: urls.url('/private.wav') });
  await expect
    .poll(async () => (await server.client.call('listDeliveries', { params })).data)
    .toMatchObject([{ url: urls.url('/hook') }]);
  const shown = await Promise.all(
    ['/v1/transcript/user', `/v1/transcript/id/${created.id}`, '/v1/network', '/v1/requests'].map(
      async (path) => (await server.fetch(path)).text(),
    ),
  );
  expect(shown.join('\n')).not.toContain(PASSWORD);
  expect(await server.log()).not.toContain(PASSWORD);
});

it('the query of an audio_url reaches no log and no message', async () => {
  const secret = 'query-secret-2718';
  urls.set('/moved.wav', (_request, response) =>
    response.writeHead(302, { location: `/missing.wav?token=${secret}` }).end(),
  );
  for (const [path, range] of [
    ['/missing.wav', {}],
    ['/moved.wav', {}],
    ['/missing.wav', { audio_end_at: 1 }],
  ] as const) {
    const failed = await server.client.call('createTranscript', {
      body: { audio_url: `${urls.url(path)}?token=${secret}`, wait_until_complete: true, ...range },
    });
    expect(failed.error?.code).toBe('download_failed');
    expect(failed.error?.message).not.toContain(secret);
  }
  await server.fetch(`/v1/transcript/recent?limit=${secret}`);
  await server.fetch(`/v1/nothing?token=${secret}`);
  const shown = await Promise.all(
    ['/v1/network', '/v1/requests'].map(async (path) => (await server.fetch(path)).text()),
  );
  expect(shown.join('\n')).not.toContain(secret);
  expect(await server.log()).not.toContain(secret);
});

it('a failed job whose login is forgotten cannot be retried, and says so', async () => {
  const failed = await server.client.call('createTranscript', {
    body: { audio_url: withLogin('/private.wav', 'wrong-secret-0815-100%'), wait_until_complete: true },
  });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'download_failed' } });
  await expect(server.client.call('retryTranscript', { params: { id: failed.id } })).rejects.toMatchObject({
    code: 'not_retryable',
    message: expect.stringContaining('login'),
  });
  await server.stop();
  expect(filesHolding(dataDir, 'wrong-secret-0815')).toEqual([]);
  // Webhooks are sent again and tested later, so their login is kept, as their secret is.
  expect(filesHolding(dataDir, PASSWORD)).toEqual([join(dataDir, 'earshot.db')]);
});
