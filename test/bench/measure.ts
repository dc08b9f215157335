import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { testWhisperCli } from '../support/addon.ts';
import { STARTER_MODEL, STARTER_PARAKEET } from '../support/paths.ts';
import type { TestServer } from '../support/server.ts';

const run = promisify(execFile);

export const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

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
    ['-m', STARTER_MODEL, '-f', wav, '-np', ...decoding, '-t', String(threads)],
    {
      maxBuffer: 2 ** 28,
    },
  );
};

/** Processor seconds of whisper.cpp's own program for Parakeet models, with one thread. It loads the model each time. */
export const parakeetCliCpu = async (wav: string): Promise<number> => {
  const program = join(dirname(await testWhisperCli()), 'parakeet-cli');
  const timed = `TIMEFORMAT='cpu %U %S'; time "$0" "$@"`;
  const { stderr } = await run('bash', ['-c', timed, program, '-m', STARTER_PARAKEET, '-t', '1', '-f', wav], {
    maxBuffer: 2 ** 28,
  });
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(stderr) ?? [];
  return Number(user) + Number(system);
};

/** Uploads a file; returns its `audio_url`. */
export const upload = async (server: TestServer, path: string): Promise<string> => {
  const form = new FormData();
  form.append('file', new Blob([readFileSync(path)]), basename(path));
  const { data } = await server.client.call('uploadFile', { body: form });
  return `storage:${data.file.key}`;
};

export const transcribe = async (server: TestServer, audio_url: string, model?: string): Promise<void> => {
  const t = await server.client.call('createTranscript', {
    body: { audio_url, wait_until_complete: true, ...(model === undefined ? {} : { model, language: 'en' }) },
  });
  if (t.status !== 'completed')
    throw new Error(`The transcription ended as ${t.status}: ${t.error?.message}`);
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

/** Processor seconds that a process's children have used so far (Linux only). */
export const childrenCpu = (pid: number): number =>
  childrenOf(pid)
    .map((child) => readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [])
    .reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, 0);

/** Resident memory of a process's largest child in MB (Linux only). */
export const largestChild = (pid: number): number =>
  Math.round(Math.max(0, ...childrenOf(pid).map(residentMegabytes)));

/** Resident memory of the server and of its worker, in MB. */
export const memory = (server: TestServer): { server: number; worker: number } => ({
  server: Math.round(residentMegabytes(server.pid)),
  worker: largestChild(server.pid),
});
