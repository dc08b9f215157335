import { equal, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { descendants } from '../support/processes.ts';
import { spawnEarshot, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { slow } from './support/behaviors.ts';
import type { Fault, FaultContext } from './support/context.ts';

const SHUTDOWN_MS = 5000;
const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** Kills the server `kills` times at random moments, then lets the job end. */
const killAtRandom = async (context: FaultContext, kills: number): Promise<string> => {
  let server = await context.start();
  const url = context.urls.set('/slow.wav', slow(context.medium, 1_500_000));
  await context.truth(server, '/medium.wav');
  const submit = () => context.submit(server, url, { topics: true, entity_detection: true });
  let id = await submit();
  let [jobs, percent, saved, stuck] = [1, 0, 0, false];
  const stages = new Map<string, number>();
  // Every second kill hits the server while it starts and recovers from the one before.
  for (let i = 0; i < kills; i += 2) {
    await delay(context.random.int(0, 1499));
    // Many crashes without progress put a job into cooldown; that is tested elsewhere, so let it save a chunk first.
    if (stuck) await context.beyond(server, id, ({ segments }) => segments.length > saved);
    const seen = await context.get(server, id);
    const stage = seen.progress?.stage ?? seen.status;
    stages.set(stage, (stages.get(stage) ?? 0) + 1);
    ok((seen.progress?.percent ?? 100) >= percent, 'percent never goes back');
    percent = seen.progress?.percent ?? 100;
    stuck = seen.segments.length <= saved;
    saved = seen.segments.length;
    if (seen.status !== 'processing') {
      await context.expectTruth(server, id, '/medium.wav');
      id = await submit();
      jobs += 1;
      [percent, saved, stuck] = [0, 0, false];
    }
    await context.kill(server);
    if (i + 1 < kills) {
      await context.killWhileStarting(server.dataDir, context.random.int(50, 1499));
      stages.set('starting', (stages.get('starting') ?? 0) + 1);
    }
    server = await context.start({ dataDir: server.dataDir });
  }
  await context.expectTruth(server, id, '/medium.wav');
  const { data } = await server.client.call('listTranscripts', { query: { limit: 100 } });
  ok(data.pagination.total >= jobs, 'every accepted job is there');
  for (const { status } of data.transcriptions) equal(status, 'completed');
  await context.expectNoOrphans(server);
  const counts = [...stages].map(([stage, count]) => `${stage} ${count}`).join(', ');
  return `${kills} kills (${counts}); ${jobs} jobs, every text the same`;
};

const stopIn = (
  stage: string,
  reach: (context: FaultContext, server: TestServer) => Promise<string>,
): Fault => ({
  name: `SIGTERM while ${stage}`,
  quick: false,
  run: async (context) => {
    let server = await context.start();
    const id = await reach(context, server);
    const took = await context.stop(server);
    ok(took < SHUTDOWN_MS, `shutdown took ${seconds(took)}`);
    server = await context.start({ dataDir: server.dataDir });
    await context.expectTruth(server, id, '/long.wav');
    await context.expectNoOrphans(server);
    return `stopped after ${seconds(took)}; the job resumed, same text`;
  },
});

export const serverFaults: readonly Fault[] = [
  {
    name: 'kill -9 of the server at 2 random moments',
    quick: false,
    run: (context) => killAtRandom(context, 2),
  },
  {
    name: 'kill -9 of the server at 100 random moments over all stages',
    quick: false,
    run: (context) => killAtRandom(context, Number(process.env.FAULT_KILLS ?? 100)),
  },
  {
    name: 'kill -9 of the server while it downloads',
    quick: false,
    run: async (context) => {
      let server = await context.start();
      const url = context.urls.set('/slow.wav', slow(context.short, 40_000));
      const id = await context.submit(server, url);
      await context.reached(server, id, 'downloading');
      await delay(800);
      await context.kill(server);
      server = await context.start({ dataDir: server.dataDir });
      await context.expectTruth(server, id, '/short.wav');
      await context.expectNoOrphans(server);
      return 'downloaded and recognized after the restart, same text';
    },
  },
  {
    name: 'kill -9 of the server while ffmpeg and the engine work',
    quick: true,
    run: async (context) => {
      const { promise: held, resolve: letEnd } = Promise.withResolvers<void>();
      let server = await context.start();
      const { id, ffmpeg } = await context.submitWithFfmpeg(server, held);
      const before = await context.reached(server, id, 'transcribing', 1);
      ok(
        descendants(server.pid).some(({ pid }) => pid === ffmpeg.pid),
        'ffmpeg is running',
      );
      await context.kill(server);
      letEnd();
      server = await context.start({ dataDir: server.dataDir });
      const now = await context.get(server, id);
      ok(now.segments.length >= before.segments.length, 'every saved segment is there');
      await context.expectTruth(server, id, '/long.wav');
      await context.expectNoOrphans(server);
      return `ffmpeg and the engine ended with it; resumed after ${before.segments.length} saved segments, same text`;
    },
  },
  stopIn('downloading', async (context, server) => {
    const url = context.urls.set('/slow.wav', slow(context.long, 1_500_000));
    const id = await context.submit(server, url);
    await context.reached(server, id, 'downloading');
    return id;
  }),
  stopIn('transcribing', (context, server) => context.submitInProgress(server)),
  {
    name: 'SIGTERM with clients that wait, stream events and upload',
    quick: true,
    run: async (context) => {
      const server = await context.start();
      const waiting = server.client
        .call('createTranscript', {
          body: { audio_url: context.urls.url('/long.wav'), wait_until_complete: true },
        })
        .then(
          ({ status }) => status,
          () => 'nothing',
        );
      const events = await server.client.send('events');
      const upload = request(`${server.url}/v1/transcript`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      });
      // The server may reset the connection.
      upload.on('error', () => {});
      upload.write('{"audio_url"');
      await until(async () => {
        const { data } = await server.client.call('getQueue');
        return data.running.length > 0;
      });
      const took = await context.stop(server);
      ok(took < SHUTDOWN_MS, `shutdown took ${seconds(took)}`);
      const answered = await waiting;
      ok(answered !== 'nothing', 'the waiting client is answered');
      await events.body?.cancel();
      upload.destroy();
      return `stopped after ${seconds(took)}; the waiting client got: ${answered}`;
    },
  },
  {
    name: 'a second server on the same data folder',
    quick: false,
    run: async (context) => {
      const server = await context.start();
      const second = await spawnEarshot(['serve', '--json', '--port', '0', '--data-dir', server.dataDir]);
      let stdout = '';
      let stderr = '';
      second.stdout?.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      second.stderr?.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      const code = await new Promise<number | null>((done) => second.once('close', done));
      equal(code, 0, 'the second server ends');
      ok(stdout.includes(`"pid":${server.pid},`), stdout + stderr);
      equal((await server.fetch('/v1/health')).status, 200);
      await context.expectTruth(
        server,
        await context.submit(server, context.urls.url('/short.wav')),
        '/short.wav',
      );
      return `it named the running one: ${stdout.trim().slice(0, 40)}…`;
    },
  },
  {
    name: 'the machine sleeps while downloading and transcribing',
    quick: true,
    run: async (context) => {
      const server = await context.start();
      await server.client.call('patchSettings', { body: { 'network.stallSeconds': 2 } });
      const url = context.urls.set('/slow.wav', slow(context.long, 1_500_000));
      const id = await context.submit(server, url);
      await context.reached(server, id, 'downloading');
      process.kill(server.pid, 'SIGSTOP');
      await delay(3000);
      process.kill(server.pid, 'SIGCONT');
      await context.reached(server, id, 'transcribing');
      process.kill(server.pid, 'SIGSTOP');
      await delay(3000);
      process.kill(server.pid, 'SIGCONT');
      await context.expectTruth(server, id, '/long.wav');
      return 'suspended for 3 s with a stall timeout of 2 s: nothing failed, same text';
    },
  },
];
