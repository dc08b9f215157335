import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createWhisperEngine,
  type WhisperEngine,
  type WhisperEngineOptions,
} from '../../../../electron/core/engines/whisper/engine.ts';
import type { WhisperResult } from '../../../../electron/core/engines/whisper/types.ts';
import { forkNodeWorker } from '../../../../electron/core/engines/worker/client.ts';
import { testAddon } from '../../../support/addon.ts';
import { STARTER_MODEL, WORKER_ENTRY } from '../../../support/paths.ts';
import { cut, fixturePcm } from '../../../support/pcm.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { plainWords } from '../../../support/word-error-rate.ts';

vi.setConfig({ testTimeout: 240_000 });

const english = cut(fixturePcm('01-short-note.wav'), 0, 4.3);
const german = cut(fixturePcm('06-german.webm'), 0, 3.4);
const long = cut(fixturePcm('08-meeting-4min.mp3'), 0, 120);
const modelPath = STARTER_MODEL;
const params = { language: 'en', maxContext: 0 };

let addonPath: string;
let engine: WhisperEngine;

const make = (options: Partial<WhisperEngineOptions> = {}): WhisperEngine => {
  const made = createWhisperEngine({
    fork: forkNodeWorker(WORKER_ENTRY),
    addonPath,
    threads: 1,
    concurrency: 2,
    ...options,
  });
  engine = made;
  return made;
};

const textOf = ({ segments }: WhisperResult): string =>
  plainWords(segments.map(({ text }) => text).join('')).join(' ');

/** Resolves with the first progress of a recognition. */
const started = (): { onProgress: () => void; promise: Promise<void> } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { onProgress: () => resolve(), promise };
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const ended = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
};

beforeAll(async () => {
  addonPath = await testAddon();
  make();
});
afterEach(() => engine.close());

describe('the probe', () => {
  it("reports the engine's abilities, and leaves no process", async () => {
    expect((await make().probe()).version).toBe('1.9.1');
    expect(engine.workerPid).toBeUndefined();
  });

  it('reports engine_unavailable if the addon does not load or crashes its process', async () => {
    const folder = temporaryFolder();
    const broken = join(folder, 'broken.node');
    writeFileSync(broken, 'not a library');
    await expect(make({ addonPath: broken }).probe()).rejects.toMatchObject({ code: 'engine_unavailable' });
    await expect(engine.transcribe({ modelPath, pcm: english })).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
    const crashing = join(folder, 'crash.mjs');
    writeFileSync(crashing, 'process.kill(process.pid, "SIGILL");');
    await expect(make({ fork: forkNodeWorker(crashing) }).probe()).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('SIGILL'),
    });
    await expect(make({ fork: forkNodeWorker(join(folder, 'none.mjs')) }).probe()).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
  });
});

describe('the engine', () => {
  it('transcribes two recordings at once on one model, in one process that it keeps', async () => {
    make();
    const [first, second] = await Promise.all([
      engine.transcribe({ modelPath, pcm: english, params }),
      engine.transcribe({ modelPath, pcm: german, params: { maxContext: 0 } }),
    ]);
    expect(textOf(first)).toBe('good morning my name is david clark and i work at northwind');
    expect(textOf(second)).toBe('wir müssen das ergebnis bis dienstag verbessern');
    expect(second.language).toBe('de');
    const pid = engine.workerPid;
    expect(pid).toBeTypeOf('number');
    expect((await engine.detectLanguage({ modelPath, pcm: german })).language).toBe('de');
    expect((await engine.modelFacts(modelPath)).vocabulary).toBe(51_865);
    expect(engine.workerPid).toBe(pid);
  });

  it('rejects with AppErrors', async () => {
    make();
    const missing = join(tmpdir(), 'no-such-model.bin');
    await expect(engine.transcribe({ modelPath: missing, pcm: english })).rejects.toMatchObject({
      name: 'AppError',
      code: 'model_not_installed',
    });
    await expect(engine.transcribe({ modelPath: WORKER_ENTRY, pcm: english })).rejects.toMatchObject({
      code: 'model_invalid',
    });
    await expect(engine.transcribe({ modelPath, pcm: new Float32Array(0) })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(
      engine.transcribe({ modelPath, pcm: english, params: { language: 'xx' } }),
    ).rejects.toMatchObject({
      code: 'language_not_supported',
    });
    expect(textOf(await engine.transcribe({ modelPath, pcm: english, params }))).toContain('northwind');
  });

  it('cancels a waiting and a running job, and continues with the next', async () => {
    make({ concurrency: 1 });
    const running = new AbortController();
    const waiting = new AbortController();
    const { onProgress, promise } = started();
    const first = engine.transcribe({ modelPath, pcm: long, params, signal: running.signal, onProgress });
    const second = engine.transcribe({ modelPath, pcm: long, params, signal: waiting.signal });
    const third = engine.transcribe({ modelPath, pcm: english, params });
    await promise;
    const pid = engine.workerPid;
    waiting.abort();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    expect(engine.workerPid).toBe(pid);
    running.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    expect(textOf(await third)).toContain('northwind');
    await expect(
      engine.transcribe({ modelPath, pcm: english, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('kills the process of a job that does not stop, and restarts the others unnoticed', async () => {
    // A process stopped by SIGSTOP does not answer, so the engine must kill it.
    make();
    const controller = new AbortController();
    const { onProgress, promise } = started();
    const stuck = engine.transcribe({ modelPath, pcm: long, params, signal: controller.signal, onProgress });
    const percents: number[] = [];
    const other = engine.transcribe({
      modelPath,
      pcm: fixturePcm('01-short-note.wav'),
      params,
      onProgress: (percent) => percents.push(percent),
    });
    await promise;
    const pid = engine.workerPid ?? 0;
    process.kill(pid, 'SIGSTOP');
    controller.abort();
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' });
    expect((await other).segments.length).toBeGreaterThan(0);
    expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
    expect(engine.workerPid).not.toBe(pid);
  });

  it('rejects every job of a crashed process with engine_crashed, and starts another process', async () => {
    make();
    for (const signal of ['SIGSEGV']) {
      const { onProgress, promise } = started();
      const jobs = [
        engine.transcribe({ modelPath, pcm: long, params, onProgress }),
        engine.transcribe({ modelPath, pcm: long, params }),
      ];
      const outcomes = Promise.allSettled(jobs);
      await promise;
      const pid = engine.workerPid ?? 0;
      process.kill(pid, signal);
      for (const outcome of await outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'engine_crashed' } });
      }
      expect(textOf(await engine.transcribe({ modelPath, pcm: english, params, exclusive: true }))).toContain(
        'northwind',
      );
      expect(engine.workerPid).not.toBe(pid);
    }
  });

  it('rejects a job whose process ends before it has read the samples', async () => {
    const deaf = join(temporaryFolder(), 'deaf.mjs');
    writeFileSync(deaf, 'process.on("message", () => process.kill(process.pid, "SIGSEGV"));');
    make({ fork: forkNodeWorker(deaf) });
    const jobs = [1, 2].map(() => engine.transcribe({ modelPath, pcm: long, params }));
    for (const outcome of await Promise.allSettled(jobs)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'engine_crashed' } });
    }
  });

  it('rejects a job whose process cannot be started, and starts one for the next', async () => {
    const host = fileURLToPath(new URL('./full-descriptors.ts', import.meta.url));
    const limited = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, host];
    const { stdout } = await promisify(execFile)('sh', [...limited, addonPath, WORKER_ENTRY, modelPath]);
    expect(JSON.parse(stdout)).toMatchObject({ code: 'engine_crashed', segments: expect.any(Number) });
  });

  it('ends an idle process, and starts another for the next job', async () => {
    make({ idleMs: 50 });
    await engine.transcribe({ modelPath, pcm: english, params });
    const pid = engine.workerPid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await ended(pid);
    expect(engine.workerPid).toBeUndefined();
    expect(textOf(await engine.transcribe({ modelPath, pcm: english, params }))).toContain('northwind');
  });

  it('replaces its process after a number of jobs', async () => {
    make({ jobsPerWorker: 2 });
    await engine.modelFacts(modelPath);
    const pid = engine.workerPid ?? 0;
    await engine.modelFacts(modelPath);
    await ended(pid);
    await engine.modelFacts(modelPath);
    expect(engine.workerPid).not.toBe(pid);
  });

  it('interrupts its jobs when closed, and accepts no more', async () => {
    make();
    const { onProgress, promise } = started();
    const job = engine.transcribe({ modelPath, pcm: long, params, onProgress });
    const outcome = expect(job).rejects.toMatchObject({ code: 'interrupted' });
    await promise;
    const pid = engine.workerPid ?? 0;
    await engine.close();
    await outcome;
    expect(isAlive(pid)).toBe(false);
    await expect(engine.modelFacts(modelPath)).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('a worker', () => {
  it('ends when its host is killed during a job', async () => {
    const host = spawn(process.execPath, [
      fileURLToPath(new URL('./orphan-parent.ts', import.meta.url)),
      addonPath,
      WORKER_ENTRY,
      modelPath,
    ]);
    const [line] = await once(host.stdout, 'data');
    const pid = Number.parseInt(String(line), 10);
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await ended(pid);
  });
});
