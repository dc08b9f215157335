import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneSentence } from '../../support/audio.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let urls: UrlServer;
let id: string;

/** Restarts the server as if the program had crashed that often during the job, the last time just now. */
const restartAfter = async (times: number) => {
  await server.kill();
  const database = new BetterSqlite3(join(server.dataDir, 'earshot.db'));
  database
    .prepare("UPDATE transcripts SET status = 'processing', lease = 'gone', app_crashes = ? WHERE id = ?")
    .run(times - 1, id);
  database.close();
  server = await startServer({ dataDir: server.dataDir, model: 'starter-parakeet' });
};

const ended = () =>
  until(async () => {
    const transcript = await server.client.call('getTranscript', { params: { id } });
    return transcript.status === 'processing' ? undefined : transcript;
  });

const submitPaused = async () => {
  await server.client.call('pauseQueue');
  const made = await server.client.call('createTranscript', { body: { audio_url: urls.url('/short.wav') } });
  id = made.id;
};

beforeAll(async () => {
  urls = await startUrlServer();
  urls.set('/short.wav', file(oneSentence()));
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  await submitPaused();
});

afterAll(async () => {
  await discard(server);
  await urls.close();
});

describe('a job during which the program keeps crashing', () => {
  it('fails after the tenth crash without progress, and the program keeps running', async () => {
    await restartAfter(10);
    const failed = await ended();
    expect(failed.error).toMatchObject({ code: 'interrupted' });
    expect(failed.error?.message).toContain('10 times in a row');
  });

  it('completes when it is retried', async () => {
    await server.client.call('resumeQueue');
    await server.client.call('retryTranscript', { params: { id } });
    expect(await ended()).toMatchObject({ status: 'completed' });
  });

  it('resumes after a cooldown when the program crashed a few times', async () => {
    await submitPaused();
    await restartAfter(3);
    await server.client.call('resumeQueue');
    expect(await ended()).toMatchObject({ status: 'completed' });
    expect(await server.log()).toContain('The program crashed during this job before');
  });
});
