// The start and the memory of the service, for `npm run bench -- --service`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fixturePath } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import {
  type Cost,
  cpuSeconds,
  median,
  medianCost,
  memory,
  quantile,
  transcribe,
  upload,
} from './measure.ts';
import { spokenWav } from './recordings.ts';
import type { ServiceRow } from './service.ts';

const IDLE_MS = 20_000;

/** Seconds from starting an empty Fastify in a process of its own to its first answer. */
const startFastify = async (): Promise<Cost> => {
  const started = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'test', 'bench', 'empty-fastify.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url }: { url: string } = JSON.parse(line);
    await (await fetch(`${url}/v1/health`)).arrayBuffer();
    break;
  }
  const wall = (performance.now() - started) / 1000;
  const { all: cpu } = cpuSeconds(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { wall, cpu };
};

/** The row of a start with a library that is there. */
export const measureStart = async (runs: number): Promise<ServiceRow> => {
  const first = await startServer();
  await first.stop();
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  for (let count = 0; count < runs; count++) {
    const started = performance.now();
    const server = await startServer({ dataDir: first.dataDir });
    await (await server.fetch('/v1/health')).arrayBuffer();
    const wall = (performance.now() - started) / 1000;
    ours.push({ wall, cpu: cpuSeconds(server.pid).all });
    await server.stop();
    theirs.push(await startFastify());
  }
  await discard(first);
  const [own, other] = [medianCost(ours), medianCost(theirs)];
  const over = own.wall - other.wall;
  return {
    name: 'start to the first answer',
    ours: `${own.wall.toFixed(2)} s, processor ${own.cpu.toFixed(2)} s`,
    reference: `empty Fastify: ${other.wall.toFixed(2)} s, processor ${other.cpu.toFixed(2)} s (${over.toFixed(2)} s more)`,
    goal: '≤ 0.4 s more',
    isMet: over <= 0.4,
  };
};

const memoryRow = (name: string, megabytes: number): ServiceRow => ({
  name,
  ours: `${megabytes} MB`,
  reference: '–',
  goal: '≤ 150 MB',
  isMet: megabytes <= 150,
});

const MAX_JOB_MS = 3600_000;

/** Asks for the list, which holds no text: a request that waits for the job fails after five minutes without an answer. */
const transcribeLong = async (server: TestServer, audio_url: string): Promise<void> => {
  await server.client.call('createTranscript', { body: { audio_url } });
  const isDone = async () => {
    const { data } = await server.client.call('listTranscripts', { query: { status: 'processing' } });
    return data.transcriptions.length === 0;
  };
  await until(isDone, MAX_JOB_MS, 1000);
};

/** Rows of the service's resident memory: idle after its start, at work, and with the engine unloaded after that. */
export async function* measureMemory(folder: string, minutes: number): AsyncGenerator<ServiceRow> {
  const server = await startServer();
  await delay(IDLE_MS);
  yield memoryRow(`memory, idle, ${IDLE_MS / 1000} s after the start`, memory(server).server);
  const url = await upload(server, await spokenWav(folder, 'work', minutes * 60));
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(memory(server).server), 1000);
  await transcribeLong(server, url);
  clearInterval(timer);
  yield memoryRow(`memory while working on ${minutes} minutes, median`, median(samples));
  yield memoryRow(`memory while working on ${minutes} minutes, at most`, quantile(samples, 1));
  await server.stop();
  const env = { EARSHOT_TEST_WAITS: '{"idleModelSeconds":1}' };
  const again = await startServer({ dataDir: server.dataDir, env });
  await transcribe(again, await upload(again, fixturePath('01-short-note.wav')));
  await delay(IDLE_MS);
  yield memoryRow('memory, idle, the engine unloaded after a job', memory(again).server);
  await discard(again);
}
