import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { testWhisperCli } from '../support/addon.ts';
import { BASE_MODEL, STARTER_PARAKEET } from '../support/paths.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

export const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/** Wall time, and processor time of the processes that it is about; both in seconds. */
export type Cost = { readonly wall: number; readonly cpu: number };

/** The cost of some work to a process that runs meanwhile, with all that it starts. */
export const costTo = async (pid: number, work: () => Promise<unknown>): Promise<Cost> => {
  const before = cpuSeconds(pid).all;
  const wall = await seconds(work);
  return { wall, cpu: cpuSeconds(pid).all - before };
};

/** The cost of a script of bash. */
export const costOfScript = async (script: string, ...args: string[]): Promise<Cost> => {
  let cpu = 0;
  const wall = await seconds(async () => {
    ({ cpu } = await cpuOf('bash', ['-e', '-o', 'pipefail', '-c', script, 'bash', ...args]));
  });
  return { wall, cpu };
};

/**
 * The milliseconds of requests that follow one another on a connection, each from its start to the last byte of its answer.
 * Asked by curl: the pauses of a client that runs in this process, for its garbage and its compiler, are no work of the service.
 */
export const timedRequests = async (server: TestServer, path: string, count: number): Promise<number[]> => {
  const { stdout } = await run('curl', [
    ...['-sS', '--fail', '--fail-early', '-H', `Authorization: Bearer ${server.key}`],
    ...['-w', '%{time_total}\\n'],
    ...Array.from({ length: count }, () => ['-o', '/dev/null', `${server.url}${path}`]).flat(),
  ]);
  return stdout
    .trim()
    .split('\n')
    .map((seconds) => Number(seconds) * 1000);
};

/** The medians of several costs. */
export const medianCost = (costs: readonly Cost[]): Cost => ({
  wall: median(costs.map(({ wall }) => wall)),
  cpu: median(costs.map(({ cpu }) => cpu)),
});

/** `share`: 0.99 for the 99th percentile. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Runs whisper.cpp's own program with the product's decoding. It loads the model each time. */
export const whisperCli = async (wav: string, threads: number): Promise<void> => {
  const decoding = ['-bs', '5', '-bo', '5', '-mc', '0', '-sns', '-l', 'auto'];
  await run(
    await testWhisperCli(),
    ['-m', BASE_MODEL, '-f', wav, '-np', ...decoding, '-t', String(threads)],
    {
      maxBuffer: 2 ** 28,
    },
  );
};

/** Runs a program: its standard output, and the processor seconds of it and all processes that it started. */
export const cpuOf = async (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly text: string; readonly cpu: number }> => {
  const timed = `TIMEFORMAT='cpu %U %S'; time "$0" "$@"`;
  const { stdout, stderr } = await run('bash', ['-c', timed, program, ...args], {
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(stderr) ?? [];
  return { text: stdout, cpu: Number(user) + Number(system) };
};

/** Whisper.cpp's own program for Parakeet models, with one thread. It loads the model each time. */
export const parakeetCli = async (wav: string): ReturnType<typeof cpuOf> =>
  cpuOf(join(dirname(await testWhisperCli()), 'parakeet-cli'), [
    '-m',
    STARTER_PARAKEET,
    '-t',
    '1',
    '-f',
    wav,
  ]);

/** Uploads a file; returns its `audio_url`. */
export const upload = async (server: TestServer, path: string): Promise<string> => {
  const form = new FormData();
  form.append('file', new Blob([readFileSync(path)]), basename(path));
  const { data } = await server.client.call('uploadFile', { body: form });
  return `storage:${data.file.key}`;
};

/** Returns the text. */
export const transcribe = async (
  server: TestServer,
  audio_url: string,
  options: { readonly model?: string; readonly language?: string } = {},
): Promise<string> => {
  const t = await server.client.call('createTranscript', {
    body: { audio_url, wait_until_complete: true, ...options },
  });
  if (t.status !== 'completed')
    throw new Error(`The transcription ended as ${t.status}: ${t.error?.message}`);
  return t.text;
};

const residentMegabytes = (pid: number): number => {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
};

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Processor seconds of a process and, with `ended`, of its children that have ended (Linux only). */
const cpuOfProcess = (pid: number, ended: boolean): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, ended ? 15 : 13).reduce((sum, ticks) => sum + Number(ticks) / TICKS_PER_SECOND, 0);
};

/** Processor seconds so far of a process's children that run, and of it with all that it started. */
export const cpuSeconds = (pid: number): { readonly children: number; readonly all: number } => {
  const children = childrenOf(pid).reduce((sum, child) => sum + cpuOfProcess(child, false), 0);
  return { children, all: children + cpuOfProcess(pid, true) };
};

/** Waits until a process with all that it started uses next to no processor time: after a start it checks and copies its data. */
export const untilIdle = async (pid: number): Promise<void> => {
  let before = cpuSeconds(pid).all;
  await until(async () => {
    await delay(2000);
    const used = cpuSeconds(pid).all - before;
    before += used;
    return used < 0.1;
  }, 600_000);
};

/** Resident memory of a process's largest child in MB (Linux only). */
export const largestChild = (pid: number): number =>
  Math.round(Math.max(0, ...childrenOf(pid).map(residentMegabytes)));

/** Resident memory of the server and of its worker, in MB. */
export const memory = (server: TestServer): { server: number; worker: number } => ({
  server: Math.round(residentMegabytes(server.pid)),
  worker: largestChild(server.pid),
});
