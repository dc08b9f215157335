import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { testWhisperCli } from '../../support/addon.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { cpuSeconds, largestChild, memory, seconds, upload } from '../measure.ts';
import type { Recording } from './corpus.ts';

const run = promisify(execFile);

/** Times are seconds. */
export type Heard = {
  readonly text: string;
  readonly words: readonly {
    readonly word: string;
    readonly start: number;
    readonly end: number;
    readonly confidence: number | null;
  }[];
  readonly segments: readonly {
    readonly start: number;
    readonly end: number;
    readonly language: string | null;
  }[];
  readonly language: string | null;
  /** Processor and wall time in seconds. */
  readonly cpu: number;
  readonly wall: number;
};

/** A program that recognizes recordings at its own defaults, and which language they are in by itself. */
export type Program = {
  readonly name: string;
  hear(recording: Recording): Promise<Heard>;
  /** The most memory so far, in MB. */
  peak(): number;
  close(): Promise<void>;
};

const MAX_JOB_MS = 3600_000;
const SAMPLE_MS = 300;

/** Earshot through its API, in a process of its own, with the model imported as a person would. */
export const startEarshot = async (model: string): Promise<Program> => {
  const server = await startServer({ args: ['--allow-private-addresses'] });
  await server.client.call('importModel', { body: { path: model, id: 'bench' } });
  await server.client.call('patchSettings', {
    body: { 'limits.uploadsPer15Minutes': 0, 'limits.requestsPerMinute': 0 },
  });
  let peak = 0;
  const timer = setInterval(() => {
    const now = memory(server);
    peak = Math.max(peak, now.server + now.worker);
  }, SAMPLE_MS);
  return {
    name: 'Earshot',
    hear: (recording) => hearWithEarshot(server, recording),
    peak: () => peak,
    close: async () => {
      clearInterval(timer);
      await discard(server);
    },
  };
};

const hearWithEarshot = async (server: TestServer, { path }: Recording): Promise<Heard> => {
  const before = cpuSeconds(server.pid).all;
  let done: Transcription | undefined;
  const wall = await seconds(async () => {
    const body = { audio_url: await upload(server, path), model: 'bench', timestamp_style: 'word' } as const;
    const { id } = await server.client.call('createTranscript', { body });
    const isDone = async () => {
      const { data } = await server.client.call('listTranscripts', { query: { status: 'processing' } });
      return data.transcriptions.length === 0;
    };
    await until(isDone, MAX_JOB_MS, 100);
    done = await server.client.call('getTranscript', { params: { id } });
  });
  if (done?.status !== 'completed') throw new Error(`${path}: ${done?.error?.message}`);
  return {
    text: done.text,
    words: done.segments.flatMap((segment) => segment.words ?? []),
    segments: done.segments,
    language: done.language,
    cpu: cpuSeconds(server.pid).all - before,
    wall,
  };
};

const CliAnswer = z.object({
  result: z.object({ language: z.string() }),
  transcription: z.array(
    z.object({ text: z.string(), offsets: z.object({ from: z.number(), to: z.number() }) }),
  ),
});

/** whisper.cpp's own program, which loads the model for each recording; beam and best of 5 as Earshot and faster-whisper. */
export const startWhisperCli = async (model: string, threads: number): Promise<Program> => {
  const program = process.env.EARSHOT_WHISPER_CLI ?? (await testWhisperCli());
  const folder = temporaryFolder();
  let peak = 0;
  return {
    name: 'whisper-cli',
    peak: () => peak,
    close: async () => {},
    hear: async ({ path }) => {
      const out = join(folder, 'out');
      const args = ['-m', model, '-f', path, '-np', '-l', 'auto', '-bs', '5', '-bo', '5', '-oj', '-of', out];
      const timed = `TIMEFORMAT='cpu %U %S'; time "$0" "$@"`;
      const running = run('bash', ['-c', timed, program, ...args, '-t', String(threads)], {
        maxBuffer: 2 ** 28,
      });
      const timer = setInterval(() => {
        peak = Math.max(peak, largestChild(running.child.pid ?? 0));
      }, SAMPLE_MS);
      let errors = '';
      const wall = await seconds(async () => {
        ({ stderr: errors } = await running.finally(() => clearInterval(timer)));
      });
      const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(errors) ?? [];
      const { result, transcription } = CliAnswer.parse(JSON.parse(readFileSync(`${out}.json`, 'utf8')));
      return {
        text: transcription.map(({ text }) => text).join(''),
        words: [],
        segments: transcription.map(({ offsets: { from, to } }) => ({
          start: from / 1000,
          end: to / 1000,
          language: null,
        })),
        language: result.language,
        cpu: Number(user) + Number(system),
        wall,
      };
    },
  };
};

const PeerAnswer = z.object({
  text: z.string(),
  language: z.string().nullable(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number(), confidence: z.number() })),
  segments: z.array(z.object({ start: z.number(), end: z.number() })),
  cpu: z.number(),
  wall: z.number(),
  peak: z.number(),
});

/** faster-whisper with a Python that has it and a folder with the same weights in CTranslate2's format; undefined without them. */
export const startFasterWhisper = async (threads: number): Promise<Program | undefined> => {
  const model = process.env.EARSHOT_FASTER_WHISPER_MODEL;
  if (!model) return undefined;
  const python = process.env.EARSHOT_FASTER_WHISPER_PYTHON ?? 'python3';
  const script = join(import.meta.dirname, 'faster_whisper_peer.py');
  const child: ChildProcess = spawn(python, [script, model, String(threads)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OMP_WAIT_POLICY: 'passive' },
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('The peer has no pipes.');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  let peak = 0;
  return {
    name: 'faster-whisper',
    peak: () => peak,
    close: async () => {
      stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
    hear: async ({ path }) => {
      stdin.write(`${JSON.stringify(path)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`faster-whisper ended at ${path}.`);
      const answer = PeerAnswer.parse(JSON.parse(value));
      peak = Math.max(peak, answer.peak);
      return { ...answer, segments: answer.segments.map((segment) => ({ ...segment, language: null })) };
    },
  };
};
