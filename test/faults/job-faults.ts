import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../electron/contract/client.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { file } from '../support/url-server.ts';
import { slow } from './support/behaviors.ts';
import { type Fault, LONG_SECONDS } from './support/context.ts';

const JOBS = Number(process.env.FAULT_JOBS ?? 200);
const CONCURRENCY = 2;
/** Often enough to see each turn, seldom enough not to slow the jobs down. */
const POLL_MS = 250;
const MAX_MS = 1_800_000;

/** Accepts many jobs of two users at once, is killed half way, and completes all of them fairly. */
const manyJobs: Fault = {
  name: `${JOBS} jobs of two users at once, and a kill -9 in the middle`,
  quick: false,
  run: async (context) => {
    let server = await context.start();
    await server.client.call('patchSettings', { body: { 'queue.concurrency': CONCURRENCY } });
    const { data: other } = await server.client.call('createUser', { body: { name: 'second' } });
    const truth = await context.truth(server, '/short.wav');
    const served = async (client: TestServer['client']) => {
      const { data } = await client.call('listTranscripts', { query: { status: 'completed', limit: 1 } });
      return data.pagination.total;
    };
    // The undisturbed run counts for the first user.
    const before = await served(server.client);
    const started = performance.now();
    const make = async (client: TestServer['client'], n: number) => {
      const { id } = await client.call('createTranscript', {
        body: { audio_url: context.urls.url('/short.wav'), name: `job ${n}` },
      });
      return id;
    };
    const ids = await Promise.all(
      Array.from({ length: JOBS }, (_, n) => make(n % 2 === 0 ? server.client : server.as(other.key.key), n)),
    );
    const accepted = performance.now() - started;
    equal(new Set(ids).size, JOBS);
    const counts = async () => [
      (await served(server.client)) - before,
      await served(server.as(other.key.key)),
    ];
    let unfair = 0;
    let killed = false;
    for (let done = 0; done < JOBS; await delay(POLL_MS)) {
      const [first = 0, second = 0] = await counts();
      unfair = Math.max(unfair, Math.abs(first - second));
      done = first + second;
      if (done > JOBS / 3 && !killed) {
        killed = true;
        await context.kill(server);
        server = await context.start({ dataDir: server.dataDir });
      }
      ok(performance.now() - started < MAX_MS, `only ${done} were done`);
    }
    deepEqual(await counts(), [JOBS / 2, JOBS / 2]);
    ok(unfair <= CONCURRENCY, `one user was ${unfair} jobs ahead`);
    for (const [n, id] of ids.entries()) {
      const client = n % 2 === 0 ? server.client : server.as(other.key.key);
      equal((await client.call('getTranscript', { params: { id } })).text, truth);
    }
    await context.expectNoOrphans(server, [server.client, server.as(other.key.key)]);
    const took = (performance.now() - started) / 1000;
    return `accepted in ${(accepted / 1000).toFixed(2)} s; nobody more than ${unfair} ahead; ${JOBS} right texts after ${took.toFixed(0)} s`;
  },
};

export const jobFaults: readonly Fault[] = [
  {
    name: 'two clients send the same Idempotency-Key at once',
    quick: false,
    run: async (context) => {
      const server = await context.start();
      const body = { audio_url: context.urls.url('/short.wav') };
      const headers = { 'idempotency-key': 'one' };
      const made = await Promise.all(
        Array.from({ length: 8 }, () => server.client.call('createTranscript', { body, headers })),
      );
      equal(new Set(made.map(({ id }) => id)).size, 1);
      const other = await server.client
        .call('createTranscript', { body: { ...body, name: 'other' }, headers })
        .then(
          () => 'accepted',
          (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
        );
      equal(other, 'idempotency_mismatch');
      const { data } = await server.client.call('listTranscripts');
      equal(data.pagination.total, 1);
      return 'one transcription for 8 requests; another body is refused';
    },
  },
  {
    name: 'the waiting client disconnects',
    quick: true,
    run: async (context) => {
      const server = await context.borrow();
      const gone = new AbortController();
      const request = server.client.call('createTranscript', {
        body: { audio_url: context.urls.url('/short.wav'), name: 'waited for', wait_until_complete: true },
        signal: gone.signal,
      });
      const { id } = await until(async () => {
        const { data } = await server.client.call('listTranscripts');
        return data.transcriptions.find(({ name }) => name === 'waited for');
      });
      gone.abort();
      await request.catch(() => undefined);
      await context.expectTruth(server, id, '/short.wav');
      return 'the job completed';
    },
  },
  {
    name: 'the source changes before a failed job is retried',
    quick: false,
    run: async (context) => {
      const server = await context.start();
      const truth = await context.truth(server, '/short.wav');
      const url = context.urls.set('/changing.wav', slow(context.long, 700_000));
      const id = await context.submit(server, url, { audio_end_at: LONG_SECONDS + 100 });
      await context.reached(server, id, 'transcribing', 1);
      await server.client.call('cancelTranscript', { params: { id } });
      context.urls.set('/changing.wav', file(context.short));
      await server.client.call('retryTranscript', { params: { id } });
      const transcript = await context.ended(server, id);
      equal(transcript.text, truth);
      return 'started over: the text is that of the new recording alone';
    },
  },
  manyJobs,
];
