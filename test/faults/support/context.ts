import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { oneSentence, talk } from '../../support/audio.ts';
import { childOf, descendants, expectGone, FFMPEG, type Process } from '../../support/processes.ts';
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

/** Seconds of the recording that takes several chunks: three are the first, one between, and the last. */
export const LONG_SECONDS = 66;
const ENDLESS_SECONDS = 600;

/** Recordings whose undisturbed text is known: several chunks, two chunks, a few seconds. */
export type Recording = '/long.wav' | '/medium.wav' | '/short.wav';

/** The fastest recognition: faults are not about quality. */
const FAST = { ...QUICK, 'limits.requestsPerMinute': 0 };
const TIMEOUT_MS = 180_000;
/** Seldom, since most jobs take seconds, and an answer is the whole text. */
const POLL_MS = 250;
/** Generous, since a busy machine is no fault; what is left for good is found all the same. */
const CLEAN_UP_MS = 20_000;

/** Shared by the faults of one run: the undisturbed texts, and a server for faults that do not harm it. */
export class FaultRun {
  /** Undisturbed texts by recording. */
  readonly truths = new Map<string, Transcription>();
  /** What all servers of the run recognize with. */
  readonly model: TestServerOptions['model'];
  #server: TestServer | undefined;

  constructor(model?: TestServerOptions['model']) {
    this.model = model;
  }

  async server(): Promise<TestServer> {
    this.#server ??= await startServer({ model: this.model });
    return this.#server;
  }

  async close(): Promise<void> {
    if (this.#server !== undefined) await discard(this.#server);
  }
}

/** What a fault gets: servers to harm, recordings, and assertions on what becomes of a job. */
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

  /** The shared server, with `settings` until the fault ends. For faults outside the server's own process alone. */
  async borrow(settings: Readonly<Record<string, number | string | boolean>> = {}): Promise<TestServer> {
    const server = await this.#run.server();
    await server.client.call('patchSettings', { body: { ...FAST, ...settings } });
    const defaults = Object.fromEntries(Object.keys(settings).map((key) => [key, null]));
    this.onClose(async () => {
      await server.client.call('patchSettings', { body: defaults });
    });
    return server;
  }

  /** Starts a server on a new data folder, or on one that another server used. */
  async start(options: TestServerOptions = {}): Promise<TestServer> {
    const dataDir = options.dataDir ?? temporaryFolder();
    if (!this.#folders.includes(dataDir)) this.#folders.push(dataDir);
    const server = await startServer({ model: this.#run.model, ...options, dataDir });
    this.#servers.add(server);
    await server.client.call('patchSettings', { body: FAST });
    return server;
  }

  /** Sends SIGKILL, and expects that no child process outlives the server. */
  async kill(server: TestServer): Promise<void> {
    const children = descendants(server.pid);
    await server.kill();
    this.#servers.delete(server);
    await expectGone(children);
  }

  /** Starts a server on a used folder and kills it `after` ms later. */
  async killWhileStarting(dataDir: string, after: number): Promise<void> {
    const child = await spawnServer(dataDir);
    await delay(after);
    const children = descendants(child.pid ?? 0);
    const closed = once(child, 'exit');
    child.kill('SIGKILL');
    await closed;
    await expectGone(children);
  }

  /** Sends SIGTERM; returns the ms until the server and its child processes have exited. */
  async stop(server: TestServer): Promise<number> {
    const children: Process[] = descendants(server.pid);
    const started = performance.now();
    const code = await server.stop();
    const took = performance.now() - started;
    this.#servers.delete(server);
    equal(code, 0, 'SIGTERM ends the server with exit code 0');
    await expectGone(children);
    return took;
  }

  async submit(server: TestServer, url: string, extra: object = {}): Promise<string> {
    const { id } = await server.client.call('createTranscript', { body: { audio_url: url, ...extra } });
    return id;
  }

  /** Submits the recording of several chunks and waits until the first is saved. The rest arrives slowly, so that even a
   * fast machine works on it for some seconds more, or until `held` resolves. */
  async submitInProgress(server: TestServer, held?: Promise<void>): Promise<string> {
    const url = this.urls.set('/slowly.wav', slow(this.long, 700_000, held));
    const id = await this.submit(server, url, { audio_end_at: LONG_SECONDS + 100 });
    await this.reached(server, id, 'transcribing', 1);
    return id;
  }

  /** A recording for a job that is to be stopped: more than any machine transcribes before. */
  endless(): string {
    return this.urls.set('/endless.wav', file(talk(ENDLESS_SECONDS)));
  }

  /**
   * Starts a job whose ffmpeg runs for some seconds, since its range arrives slowly; with `held`, until that resolves, since
   * the end of its range waits for it.
   */
  async submitWithFfmpeg(
    server: TestServer,
    held?: Promise<void>,
  ): Promise<{ readonly id: string; readonly ffmpeg: Process }> {
    const bytesPerSecond = held === undefined ? 350_000 : 5_000_000;
    const url = this.urls.set('/slow.wav', slow(this.long, bytesPerSecond, held));
    const id = await this.submit(server, url, { audio_end_at: LONG_SECONDS + 100 });
    return { id, ffmpeg: await childOf(server.pid, FFMPEG) };
  }

  get(server: TestServer, id: string): Promise<Transcription> {
    return server.client.call('getTranscript', { params: { id } });
  }

  /** Waits for a transcription to end. */
  ended(server: TestServer, id: string, timeoutMs = TIMEOUT_MS): Promise<Transcription> {
    return until(
      async () => {
        const transcript = await this.get(server, id);
        return transcript.status === 'processing' ? undefined : transcript;
      },
      timeoutMs,
      POLL_MS,
    );
  }

  /** Waits until a job is in a stage; with `segments`, until that many are saved. */
  reached(server: TestServer, id: string, stage: string, segments = 0): Promise<Transcription> {
    return until(async () => {
      const transcript = await this.get(server, id);
      if (transcript.status !== 'processing') throw new Error(`${id} ended before it could be disturbed`);
      const there = transcript.progress?.stage === stage && transcript.segments.length >= segments;
      return there ? transcript : undefined;
    }, TIMEOUT_MS);
  }

  /** Waits until `isFarEnough`, or until the job has ended. */
  beyond(
    server: TestServer,
    id: string,
    isFarEnough: (transcript: Transcription) => boolean,
  ): Promise<Transcription> {
    return until(async () => {
      const transcript = await this.get(server, id);
      return (transcript.status !== 'processing' || isFarEnough(transcript)) && transcript;
    }, TIMEOUT_MS);
  }

  /** The text of a recording without any fault. */
  async truth(server: TestServer, path: Recording): Promise<string> {
    return (await this.#truth(server, path)).text;
  }

  async #truth(server: TestServer, path: Recording): Promise<Transcription> {
    const known = this.#run.truths.get(path);
    if (known !== undefined) return known;
    const url = this.urls.set(`/truth${path}`, file(this.#recording(path)));
    const transcript = await this.ended(server, await this.submit(server, url));
    equal(transcript.status, 'completed');
    ok(transcript.text.length > 0, 'the undisturbed run has text');
    this.#run.truths.set(path, transcript);
    return transcript;
  }

  /** Expects that the job completes with the text and all times of an undisturbed run. */
  async expectTrueTimes(server: TestServer, id: string, path: Recording): Promise<void> {
    const { segments } = await this.expectTruth(server, id, path);
    deepEqual(segments, (await this.#truth(server, path)).segments);
  }

  /** Expects that the job completes with exactly the text of an undisturbed run. */
  async expectTruth(server: TestServer, id: string, path: Recording): Promise<Transcription> {
    const transcript = await this.ended(server, id);
    equal(transcript.status, 'completed', transcript.error?.message);
    equal(transcript.text, await this.truth(server, path));
    return transcript;
  }

  /** Retries a failed job; expects the text of an undisturbed run and no files left behind. */
  async expectTruthAfterRetry(server: TestServer, id: string, path: Recording): Promise<Transcription> {
    await server.client.call('retryTranscript', { params: { id } });
    const transcript = await this.expectTruth(server, id, path);
    await this.expectNoOrphans(server);
    return transcript;
  }

  /** Expects that the job fails with `code`. */
  async expectFailed(server: TestServer, id: string, code: string): Promise<Transcription> {
    const transcript = await this.ended(server, id);
    equal(transcript.error?.code ?? transcript.status, code, transcript.error?.message);
    return transcript;
  }

  /** Expects no work files, and no folder without its transcript; `clients` stand for all users. */
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
    await until(async () => (await left()).length === 0, CLEAN_UP_MS).catch(async () => {
      throw new Error(`left behind: ${await left()}`);
    });
  }

  /** Registers a clean-up that runs after the servers are stopped. */
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

/** One thing that can go wrong. `run` returns what was observed, and throws when a promise is broken. */
export type Fault = {
  readonly name: string;
  /** Whether it is part of `npm test`; `npm run faults` has all of them. */
  readonly quick: boolean;
  run(context: FaultContext): Promise<string>;
};
