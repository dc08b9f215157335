import { equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { oneSentence, talk } from '../../support/audio.ts';
import type { Random } from '../../support/random.ts';
import {
  discard,
  QUICK,
  spawnServer,
  startServer,
  type TestServer,
  type TestServerOptions,
} from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { slow } from './behaviors.ts';
import { childOf, descendants, expectGone, FFMPEG, type Process } from './processes.ts';

/** Seconds of the recording that takes several pieces. */
export const LONG_SECONDS = 90;

/** Recordings whose undisturbed text is known: of several pieces, of two, and of a few seconds. */
export type Recording = '/long.wav' | '/medium.wav' | '/short.wav';

/** Settings that make recognition as fast as it gets: faults are about something else. */
const FAST = { ...QUICK, 'limits.requestsPerMinute': 0 };
const PATIENCE_MS = 180_000;

/** What the faults of one run have in common: the undisturbed texts, and a server for those that leave it whole. */
export class FaultRun {
  /** Texts recognised without any fault, by the name of the recording. */
  readonly truths = new Map<string, string>();
  #server: TestServer | undefined;

  async server(): Promise<TestServer> {
    this.#server ??= await startServer();
    return this.#server;
  }

  async close(): Promise<void> {
    if (this.#server !== undefined) await discard(this.#server);
  }
}

/** What a fault is given: servers to harm, and ways to see what became of them. */
export class FaultContext {
  readonly random: Random;
  readonly urls: UrlServer;
  readonly long: Buffer = talk(LONG_SECONDS, 12);
  readonly medium: Buffer = talk(40, 10, 1);
  readonly short: Buffer = oneSentence(1);
  readonly #run: FaultRun;
  readonly #folders: string[] = [];
  readonly #servers = new Set<TestServer>();
  readonly #toClose: (() => Promise<void>)[] = [];

  private constructor(random: Random, urls: UrlServer, run: FaultRun) {
    this.random = random;
    this.urls = urls;
    this.#run = run;
    for (const path of ['/long.wav', '/medium.wav', '/short.wav'] as const) {
      urls.set(path, file(this.#recording(path)));
    }
  }

  #recording(path: Recording): Buffer {
    return { '/long.wav': this.long, '/medium.wav': this.medium, '/short.wav': this.short }[path];
  }

  static async open(random: Random, run: FaultRun): Promise<FaultContext> {
    return new FaultContext(random, await startUrlServer(), run);
  }

  /** The server that faults of the world outside share, with these settings until the fault is over. */
  async borrow(settings: Readonly<Record<string, number>> = {}): Promise<TestServer> {
    const server = await this.#run.server();
    await server.client.call('patchSettings', { body: { ...FAST, ...settings } });
    const defaults = Object.fromEntries(Object.keys(settings).map((key) => [key, null]));
    this.onClose(async () => {
      await server.client.call('patchSettings', { body: defaults });
    });
    return server;
  }

  /** A server on a fresh data folder, or on one that another server left. */
  async start(options: TestServerOptions = {}): Promise<TestServer> {
    const dataDir = options.dataDir ?? temporaryFolder();
    if (!this.#folders.includes(dataDir)) this.#folders.push(dataDir);
    const server = await startServer({ ...options, dataDir });
    this.#servers.add(server);
    await server.client.call('patchSettings', { body: FAST });
    return server;
  }

  /** SIGKILL, and nothing that the server had started may outlive it. */
  async kill(server: TestServer): Promise<void> {
    const children = descendants(server.pid);
    await server.kill();
    this.#servers.delete(server);
    await expectGone(children);
  }

  /** Begins to start a server on a folder that another one left, and kills it so many milliseconds later. */
  async killWhileStarting(dataDir: string, after: number): Promise<void> {
    const child = await spawnServer(dataDir);
    await delay(after);
    const children = descendants(child.pid ?? 0);
    const closed = once(child, 'exit');
    child.kill('SIGKILL');
    await closed;
    await expectGone(children);
  }

  /** SIGTERM; answers in how many milliseconds the server was gone, with everything that it had started. */
  async stop(server: TestServer): Promise<number> {
    const children: Process[] = descendants(server.pid);
    const started = performance.now();
    const code = await server.stop();
    const took = performance.now() - started;
    this.#servers.delete(server);
    equal(code, 0, 'SIGTERM ends the server with exit code 0');
    await expectGone(children, 500);
    return took;
  }

  async submit(server: TestServer, url: string, extra: object = {}): Promise<string> {
    const { id } = await server.client.call('createTranscript', { body: { audio_url: url, ...extra } });
    return id;
  }

  /** A job over the recording of several pieces, the first of which is saved. The others come bit by bit, so that even a
   * fast machine is at work for some seconds more. */
  async submitAtWork(server: TestServer): Promise<string> {
    const url = this.urls.set('/in-bits.wav', slow(this.long, 700_000));
    const id = await this.submit(server, url, { audio_end_at: LONG_SECONDS + 100 });
    await this.reached(server, id, 'transcribing', 1);
    return id;
  }

  /** A server with a job over a range that comes slowly, so that its ffmpeg lives for some seconds. */
  async startWithFfmpeg(): Promise<{ server: TestServer; id: string; ffmpeg: Process }> {
    const server = await this.start();
    const url = this.urls.set('/slow.wav', slow(this.long, 350_000));
    const id = await this.submit(server, url, { audio_end_at: LONG_SECONDS + 100 });
    return { server, id, ffmpeg: await childOf(server.pid, FFMPEG) };
  }

  get(server: TestServer, id: string): Promise<Transcription> {
    return server.client.call('getTranscript', { params: { id } });
  }

  /** Waits for a transcription to end. */
  ended(server: TestServer, id: string, patienceMs = PATIENCE_MS): Promise<Transcription> {
    return until(async () => {
      const transcript = await this.get(server, id);
      return transcript.status === 'processing' ? undefined : transcript;
    }, patienceMs);
  }

  /** Waits until a job is at work in a stage, or past it; with `segments`, until so many are saved. */
  reached(server: TestServer, id: string, stage: string, segments = 0): Promise<Transcription> {
    return until(async () => {
      const transcript = await this.get(server, id);
      if (transcript.status !== 'processing') throw new Error(`${id} ended before it could be disturbed`);
      const there = transcript.progress?.stage === stage && transcript.segments.length >= segments;
      return there ? transcript : undefined;
    }, PATIENCE_MS);
  }

  /** Waits until a job is as far as that, or has ended. */
  async beyond(
    server: TestServer,
    id: string,
    isFarEnough: (transcript: Transcription) => boolean,
  ): Promise<void> {
    await until(async () => {
      const transcript = await this.get(server, id);
      return transcript.status !== 'processing' || isFarEnough(transcript);
    }, PATIENCE_MS);
  }

  /** What is recognised in a recording when nothing goes wrong. */
  async truth(server: TestServer, path: Recording): Promise<string> {
    const known = this.#run.truths.get(path);
    if (known !== undefined) return known;
    const url = this.urls.set(`/truth${path}`, file(this.#recording(path)));
    const { text, status } = await this.ended(server, await this.submit(server, url));
    equal(status, 'completed');
    ok(text.length > 0, 'the undisturbed run has text');
    this.#run.truths.set(path, text);
    return text;
  }

  /** The job is completed with the very text of an undisturbed run. */
  async expectTruth(server: TestServer, id: string, path: Recording): Promise<Transcription> {
    const transcript = await this.ended(server, id);
    equal(transcript.status, 'completed', transcript.error?.message);
    equal(transcript.text, await this.truth(server, path));
    return transcript;
  }

  /** A failed job that is tried again ends with the text of an undisturbed run, and leaves nothing behind. */
  async expectTruthAfterRetry(server: TestServer, id: string, path: Recording): Promise<Transcription> {
    await server.client.call('retryTranscript', { params: { id } });
    const transcript = await this.expectTruth(server, id, path);
    await this.expectNoOrphans(server);
    return transcript;
  }

  /** The job has failed with that code. */
  async expectFailed(server: TestServer, id: string, code: string): Promise<Transcription> {
    const transcript = await this.ended(server, id);
    equal(transcript.error?.code ?? transcript.status, code, transcript.error?.message);
    return transcript;
  }

  /** No work file is left, and no made file without its transcript; `clients` stand for all users. */
  async expectNoOrphans(server: TestServer, clients: readonly Client[] = [server.client]): Promise<void> {
    const known = new Set<string>();
    for (const client of clients) {
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { data } = await client.call('listTranscripts', { query: { limit: 100, page } });
        for (const { id } of data.transcriptions) known.add(id);
        pages = data.pagination.pages;
      }
    }
    const left = async () => [
      ...(await readdir(join(server.dataDir, 'tmp'))),
      ...(await readdir(join(server.dataDir, 'transcripts'))).filter((name) => !known.has(name)),
    ];
    await until(async () => (await left()).length === 0, 3000).catch(async () => {
      throw new Error(`left behind: ${await left()}`);
    });
  }

  /** What is to be closed with this, after its servers. */
  onClose(close: () => Promise<void>): void {
    this.#toClose.push(close);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.kill();
    for (const close of this.#toClose) await close();
    await this.urls.close();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}

/** One way in which the world can be unkind. `run` answers what was seen, and throws when a promise was broken. */
export type Fault = {
  readonly name: string;
  /** Whether it is part of `npm test`. */
  readonly quick: boolean;
  run(context: FaultContext): Promise<string>;
};
