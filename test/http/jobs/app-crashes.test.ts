import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneSentence } from '../../support/audio.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let urls: UrlServer;
/** Jobs during which the program crashed ten times, and three times. */
let [often, seldom] = ['', ''];

/** Restarts the server as if the program had crashed that often during each job, the last time just now. */
const restartAfter = async (times: ReadonlyMap<string, number>) => {
  await server.kill();
  const database = new BetterSqlite3(join(server.dataDir, 'earshot.db'));
  const crash = database.prepare(
    "UPDATE transcripts SET status = 'processing', lease = 'gone', app_crashes = ? WHERE id = ?",
  );
  for (const [id, count] of times) crash.run(count - 1, id);
  database.close();
  server = await startServer({ dataDir: server.dataDir, model: 'starter-parakeet' });
};

const ended = (id: string) =>
  until(async () => {
    const transcript = await server.client.call('getTranscript', { params: { id } });
    return transcript.status === 'processing' ? undefined : transcript;
  });

const submit = async () =>
  (await server.client.call('createTranscript', { body: { audio_url: urls.url('/short.wav') } })).id;

beforeAll(async () => {
  urls = await startUrlServer();
  urls.set('/short.wav', file(oneSentence()));
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  await server.client.call('pauseQueue');
  [often, seldom] = [await submit(), await submit()];
  await restartAfter(
    new Map([
      [often, 10],
      [seldom, 3],
    ]),
  );
});

afterAll(async () => {
  await discard(server);
  await urls.close();
});

describe('a job during which the program keeps crashing', () => {
  it('fails after the tenth crash without progress, and the program keeps running', async () => {
    const failed = await ended(often);
    expect(failed.error).toMatchObject({ code: 'interrupted' });
    expect(failed.error?.message).toContain('10 times in a row');
  });

  it('completes when it is retried', async () => {
    await server.client.call('resumeQueue');
    await server.client.call('retryTranscript', { params: { id: often } });
    expect(await ended(often)).toMatchObject({ status: 'completed' });
  });

  it('resumes after a cooldown when the program crashed a few times', async () => {
    expect(await ended(seldom)).toMatchObject({ status: 'completed' });
    expect(await server.log()).toContain('The program crashed during this job before');
  });
});
