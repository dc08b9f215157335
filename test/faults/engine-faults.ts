import { equal, match, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { STARTER_MODEL } from '../support/paths.ts';
import { childOf, descendants, expectGone, WORKER } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import type { Fault, FaultContext } from './support/context.ts';

/** Kills the server's engine process once it runs; returns its id. */
const killWorker = async (server: number, signal: NodeJS.Signals): Promise<number> => {
  const pid = await until(() => descendants(server).find(({ command }) => WORKER.test(command))?.pid);
  // Let it start on the next chunk.
  await delay(700);
  process.kill(pid, signal);
  return pid;
};

const crashOnce = (signal: NodeJS.Signals, quick: boolean): Fault => ({
  name: `${signal} of the engine's process`,
  quick,
  run: async (context) => {
    const server = await context.borrow();
    const id = await context.submitInProgress(server);
    await killWorker(server.pid, signal);
    await context.expectTrueTimes(server, id, '/long.wav');
    await context.expectNoOrphans(server);
    return 'recognized the chunk again, same text and times';
  },
});

const killWorkersAtRandom = async (context: FaultContext, kills: number): Promise<string> => {
  const server = await context.start();
  await context.truth(server, '/long.wav');
  let [done, jobs] = [0, 0];
  while (done < kills) {
    const id = await context.submit(server, context.urls.url('/long.wav'));
    jobs += 1;
    // At most two per job: the third crash on one chunk fails it, which is tested below.
    for (let i = 0; i < 2; i++) {
      await delay(context.random.int(200, 3999));
      const worker = descendants(server.pid).find(({ command }) => WORKER.test(command));
      if (worker === undefined) continue;
      process.kill(worker.pid, 'SIGKILL');
      done += 1;
    }
    await context.expectTruth(server, id, '/long.wav');
  }
  await context.expectNoOrphans(server);
  return `${done} kills over ${jobs} jobs, every text the same`;
};

export const engineFaults: readonly Fault[] = [
  crashOnce('SIGSEGV', true),
  crashOnce('SIGKILL', false),
  {
    name: "kill -9 of the engine's process at 20 random moments",
    quick: false,
    run: (context) => killWorkersAtRandom(context, 20),
  },
  {
    name: 'the engine crashes three times on one chunk',
    quick: false,
    run: async (context) => {
      const server = await context.start();
      const truth = await context.truth(server, '/long.wav');
      const id = await context.submitInProgress(server);
      let last: number | undefined;
      for (;;) {
        const { status } = await context.get(server, id);
        if (status !== 'processing') break;
        const worker = descendants(server.pid).find(
          ({ command, pid }) => WORKER.test(command) && pid !== last,
        );
        if (worker !== undefined) {
          process.kill(worker.pid, 'SIGSEGV');
          last = worker.pid;
        }
        await delay(20);
      }
      const failed = await context.expectFailed(server, id, 'engine_crashed');
      match(failed.error?.message ?? '', /went down 3 times over the audio at \d+:\d\d/);
      ok(
        failed.text.length > 0 && truth.startsWith(failed.text.slice(0, -1)),
        'the text up to there is kept',
      );
      await context.expectTruthAfterRetry(server, id, '/long.wav');
      return 'failed as engine_crashed with its text kept; a retry completed the same text';
    },
  },
  {
    name: 'engine crashes are counted across restarts',
    quick: false,
    run: async (context) => {
      let server = await context.start();
      const id = await context.submit(server, context.urls.url('/long.wav'));
      for (let i = 0; i < 2; i++) {
        // Chunks recognized beside the one that crashes fail with it: one crash may be logged more than once.
        const logged = async () => (await server.log()).split('The engine crashed').length;
        const before = await logged();
        await killWorker(server.pid, 'SIGSEGV');
        await until(async () => (await logged()) > before);
        await context.kill(server);
        server = await context.start({ dataDir: server.dataDir });
      }
      await killWorker(server.pid, 'SIGSEGV');
      const { error } = await context.ended(server, id);
      equal(error?.code, 'engine_crashed');
      // Two chunks are in flight at once: the error must name the one whose count reached three.
      const third = (await server.log()).split('\n').find((line) => line.includes('"count":3')) ?? '';
      match(
        error?.message ?? '',
        third.includes('"chunk":0')
          ? /3 times over the audio at 0:00/
          : /3 times over the audio at 0:[1-5]\d/,
      );
      return 'the third crash failed the job, with two restarts in between';
    },
  },
  {
    name: "the engine's process hangs, and the job is cancelled",
    quick: false,
    run: async (context) => {
      const server = await context.start();
      const id = await context.submit(server, context.endless());
      // Only then: before it, the process that looks for a graphics processor may still run.
      await context.reached(server, id, 'transcribing', 1);
      const worker = await childOf(server.pid, WORKER);
      process.kill(worker.pid, 'SIGSTOP');
      const started = performance.now();
      await server.client.call('cancelTranscript', { params: { id } });
      const took = performance.now() - started;
      await context.expectFailed(server, id, 'cancelled');
      await expectGone([worker]);
      await context.expectNoOrphans(server);
      return `cancelled after ${(took / 1000).toFixed(1)} s, the process killed`;
    },
  },
  {
    name: "SIGSTOP of the engine's process for good",
    // It waits for the least limit, a minute, and half of it until health says so.
    quick: false,
    run: async (context) => {
      const server = await context.borrow();
      const id = await context.submitInProgress(server);
      const worker = await childOf(server.pid, WORKER);
      process.kill(worker.pid, 'SIGSTOP');
      const health = async () => (await server.client.call('health')).status;
      await until(async () => (await health()) === 'engine_stalled', 300_000);
      await context.expectTrueTimes(server, id, '/long.wav');
      await expectGone([worker]);
      equal(await health(), 'ok');
      await context.expectNoOrphans(server);
      return 'health said so, the process was replaced, same text and times';
    },
  },
  {
    name: 'SIGSTOP of ffmpeg for a while',
    quick: false,
    run: async (context) => {
      const server = await context.borrow();
      const { id, ffmpeg } = await context.submitWithFfmpeg(server);
      process.kill(ffmpeg.pid, 'SIGSTOP');
      await delay(4000);
      process.kill(ffmpeg.pid, 'SIGCONT');
      await context.expectTruth(server, id, '/long.wav');
      return 'resumed, same text';
    },
  },
  {
    name: 'SIGSTOP of ffmpeg for good',
    quick: false,
    run: async (context) => {
      const server = await context.borrow();
      const { id, ffmpeg } = await context.submitWithFfmpeg(server);
      process.kill(ffmpeg.pid, 'SIGSTOP');
      const failed = await context.expectFailed(server, id, 'decode_failed');
      match(failed.error?.message ?? '', /no progress/);
      await expectGone([ffmpeg]);
      await context.expectTruthAfterRetry(server, id, '/long.wav');
      return 'failed as decode_failed, ffmpeg killed; a retry gave the same text';
    },
  },
  {
    name: 'kill -9 of ffmpeg',
    // The next one goes on after such a kill, too, with the recording on the disk.
    quick: false,
    run: async (context) => {
      const server = await context.borrow();
      const { id, ffmpeg } = await context.submitWithFfmpeg(server);
      process.kill(ffmpeg.pid, 'SIGKILL');
      await context.expectTruth(server, id, '/long.wav');
      await context.expectNoOrphans(server);
      return 'started again from the last chunk, same text';
    },
  },
  {
    name: 'ffmpeg is killed each time it decodes, and once in the retry',
    quick: true,
    run: async (context) => {
      const folder = temporaryFolder();
      const [program, armed, once] = [join(folder, 'ffmpeg'), join(folder, 'armed'), join(folder, 'once')];
      const kills = `test -e '${armed}' && kill -9 $$; test -e '${once}' && rm '${once}' && kill -9 $$`;
      const script = `#!/bin/sh\ncase "$*" in *f32le*) ${kills} ;; esac\nexec ffmpeg "$@"\n`;
      await writeFile(program, script, { mode: 0o700 });
      for (const path of [armed, once]) await writeFile(path, '');
      const server = await context.start({ env: { FFMPEG_PATH: program } });
      const id = await context.submit(server, context.urls.url('/short.wav'));
      const failed = await context.expectFailed(server, id, 'decode_failed');
      match(failed.error?.message ?? '', /ended by something outside/);
      await rm(armed);
      const { bytes_fetched } = await context.expectTruthAfterRetry(server, id, '/short.wav');
      equal(bytes_fetched, context.short.length + 1, 'the recording is not fetched again');
      equal(existsSync(once), false, 'the first ffmpeg of the retry was killed');
      return 'failed as decode_failed; a retry fetched one byte, started ffmpeg again, and gave the same text';
    },
  },
  {
    name: 'the engine cannot be loaded',
    quick: false,
    run: async (context) => {
      const addon = join(import.meta.dirname, 'all.ts');
      let server = await context.start({ env: { EARSHOT_ADDON: addon } });
      const id = await context.submit(server, context.urls.url('/short.wav'));
      const { error } = await context.expectFailed(server, id, 'engine_unavailable');
      await context.stop(server);
      server = await context.start({ dataDir: server.dataDir });
      await server.client.call('retryTranscript', { params: { id } });
      await context.expectTruth(server, id, '/short.wav');
      return `failed as engine_unavailable (${error?.message.slice(0, 50)}…); a retry with the engine worked`;
    },
  },
  {
    name: 'a model file cut in half',
    quick: true,
    run: async (context) => {
      const server = await context.borrow();
      const path = join(server.dataDir, 'models', 'ggml-half.bin');
      await copyFile(STARTER_MODEL, path);
      await truncate(path, Math.floor((await stat(path)).size / 2));
      const id = await context.submit(server, context.urls.url('/short.wav'), { model: 'half' });
      const failed = await context.expectFailed(server, id, 'model_invalid');
      const next = await context.submit(server, context.urls.url('/short.wav'));
      await context.expectTruth(server, next, '/short.wav');
      await context.expectNoOrphans(server);
      return `failed as model_invalid (${failed.error?.message.slice(0, 50)}…); the next job worked`;
    },
  },
];
