import { once } from 'node:events';
import { copyFileSync, existsSync, openAsBlob, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, fixturePath, ONE_SENTENCE, truth } from '../../support/fixtures.ts';
import { catalogueLine, find, modelPath, settled, starterBytes } from '../../support/model-mirror.ts';
import { STARTER_MODEL as STARTER, STARTER_PARAKEET } from '../../support/paths.ts';
import { discard, QUICK, spawnEarshot, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { file, stall, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { wordErrorRate } from '../../support/word-error-rate.ts';

const SAMPLE = fixturePath(ONE_SENTENCE);
/** Long enough for its transcription speed to be saved. */
const SPOKEN = '01-short-note.wav';

let server: TestServer;
let mirror: UrlServer;
let folder: string;
const model = starterBytes();

const listModelsFolder = () => readdirSync(join(server.dataDir, 'models'));

const importModel = (path: string, id?: string) =>
  server.client.call('importModel', { body: { path, ...(id === undefined ? {} : { id }) } });

const earshot = async (...args: string[]) => {
  const child = await spawnEarshot(['models', ...args, '--data-dir', server.dataDir]);
  if (child.stdout === null || child.stderr === null) throw new Error('no output to read');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: child.exitCode };
};

beforeAll(async () => {
  folder = temporaryFolder();
  mirror = await startUrlServer();
  // `mini` is a model that is not installed.
  server = await startServer({ args: ['--model-alias', 'mini=base'] });
  await server.client.call('patchSettings', {
    body: {
      'limits.requestsPerMinute': 0,
      ...QUICK,
      'network.allowPrivateAddresses': true,
      'models.baseUrl': mirror.url('/'),
      'models.catalogue': ['base', 'tiny', 'small'].map((id) => catalogueLine(id, model)),
    },
  });
});

afterAll(async () => {
  await discard(server);
  await mirror.close();
});

describe('importing a model file', () => {
  it('copies it under the name of the file, ready for use', async () => {
    const path = join(folder, 'ggml-our own model.bin');
    copyFileSync(STARTER, path);
    const { data } = await importModel(path);
    expect(data).toMatchObject({ id: 'our-own-model', installed: true, size: model.length });
    expect(existsSync(path)).toBe(true);
    expect(listModelsFolder()).toEqual(['ggml-our-own-model.bin']);
    await expect(importModel(path)).rejects.toMatchObject({ status: 409 });
    await server.client.call('removeModel', { params: { id: 'our-own-model' } });
  });

  it('rejects an incomplete model, and keeps nothing of it', async () => {
    const cut = join(folder, 'cut.bin');
    writeFileSync(cut, model.subarray(0, 20_000_000));
    await expect(importModel(cut)).rejects.toMatchObject({ status: 422, code: 'content_mismatch' });
    await expect(importModel(SAMPLE)).rejects.toMatchObject({ status: 422 });
    expect(listModelsFolder()).toEqual([]);
  });

  it('rejects a missing path, a folder, a relative path and an invalid id', async () => {
    const refused = { status: 400, code: 'invalid_request' };
    await expect(importModel('/nowhere/at/all.bin')).rejects.toMatchObject(refused);
    await expect(importModel(folder)).rejects.toMatchObject(refused);
    await expect(importModel('test/fixtures/models/ggml-starter.bin')).rejects.toMatchObject(refused);
    await expect(importModel(STARTER, '../x')).rejects.toMatchObject(refused);
  });

  it('does not let another model take a published name', async () => {
    await expect(importModel(STARTER, 'medium')).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('is not the medium of the catalogue'),
    });
    await expect(importModel(STARTER, 'other.en')).rejects.toMatchObject({ status: 400 });
    await expect(importModel(STARTER, 'base-q8_0')).rejects.toMatchObject({ status: 409 });
    expect(listModelsFolder()).toEqual([]);
  });
});

describe('a job whose model is missing', () => {
  const create = (wait: boolean, key: string) =>
    server.client.call('createTranscript', {
      body: { audio_url: `storage:${key}`, model: 'mini', language: 'en', wait_until_complete: wait },
    });
  let key: string;
  const upload = async (name: string): Promise<string> => {
    const form = new FormData();
    form.append('file', await openAsBlob(fixturePath(name)), 'note.wav');
    return (await server.client.call('uploadFile', { body: form })).data.file.key;
  };

  beforeAll(async () => {
    key = await upload(SPOKEN);
  });

  it('is refused in every form of the API where models are not downloaded, and leaves no entry', async () => {
    const audio_url = `storage:${key}`;
    const form = new FormData();
    form.append('file', await openAsBlob(fixturePath(SPOKEN)), 'note.wav');
    form.append('model', 'mini');
    const requests: [string, BodyInit][] = [
      ['/v1/transcript', JSON.stringify({ audio_url, model: 'mini' })],
      ['/v2/transcript', JSON.stringify({ audio_url, speech_model: 'mini' })],
      ['/v1/audio/transcriptions', form],
    ];
    const answers = requests.map(async ([path, body]) => {
      const headers = body instanceof FormData ? undefined : { 'content-type': 'application/json' };
      const answer = await server.fetch(path, { method: 'POST', body, ...(headers && { headers }) });
      return [answer.status, await answer.json()];
    });
    const message = 'model: the model base is not installed. Install it with: earshot models install base';
    expect(await Promise.all(answers)).toMatchObject([
      [400, { code: 'invalid_request', error: message, details: [{ path: 'model' }] }],
      [400, { error: `speech_${message}` }],
      [400, { error: { message, param: 'model', type: 'invalid_request_error' } }],
    ]);
    expect((await server.client.call('listTranscripts')).data.pagination.total).toBe(0);
    expect((await server.client.call('listFiles')).data.files.map((stored) => stored.key)).toEqual([key]);
  });

  it('explains why the model cannot be downloaded', async () => {
    await server.client.call('patchSettings', { body: { 'models.autoInstall': true } });
    const job = await create(true, key);
    expect(job.error).toMatchObject({ code: 'model_not_installed', stage: 'downloading_model' });
    expect(job.error?.message).toMatch(/The model base is not installed, and fetching it failed: .*404/);
  });

  it('shares one download with another job, and then transcribes correctly', async () => {
    await server.client.call('patchSettings', {
      body: { 'models.autoInstall': true, 'queue.concurrency': 2 },
    });
    mirror.requests.length = 0;
    let resume: () => void = () => {};
    mirror.set('/ggml-base.bin', (_request, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': String(model.length) });
      response.write(model.subarray(0, model.length / 2));
      resume = () => response.end(model.subarray(model.length / 2));
    });
    const names = [SPOKEN, ONE_SENTENCE];
    const jobs = await Promise.all(names.map(async (name) => create(false, await upload(name))));
    for (const { id } of jobs) {
      await until(async () => {
        const { progress } = await server.client.call('getTranscript', { params: { id } });
        return progress?.stage === 'downloading_model';
      });
    }
    await until(async () => ((await find(server, 'base')).download?.received ?? 0) > 0);
    resume();
    for (const [index, { id }] of jobs.entries()) {
      const done = await until(async () => {
        const job = await server.client.call('getTranscript', { params: { id } });
        return job.status === 'processing' ? undefined : job;
      });
      expect(done).toMatchObject({ status: 'completed', model: 'mini', model_id: 'base' });
      expect(wordErrorRate(truth(names[index] ?? '').text, done.text)).toBeLessThan(0.1);
    }
    expect(mirror.requests).toHaveLength(1);
    expect((await find(server, 'base')).speed).toBeGreaterThan(0);
  });

  it('keeps the model that it is using', async () => {
    let end = () => {};
    const audio_url = mirror.set('/held.wav', (_request, response) => {
      end = () => response.end(fixture(ONE_SENTENCE));
    });
    const body = { audio_url, model: 'mini', language: 'en' } as const;
    const job = await server.client.call('createTranscript', { body });
    await until(() => mirror.requests.some(({ path }) => path === '/held.wav'));
    await expect(server.client.call('removeModel', { params: { id: 'base' } })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('is using base'),
    });
    end();
    await until(async () => {
      const { status } = await server.client.call('getTranscript', { params: { id: job.id } });
      return status !== 'processing';
    });
  });
});

describe('after a kill', () => {
  let speed: number | null;
  /** Begins a download that stops after so many bytes. */
  const downloadPart = async (id: string, bytes: number) => {
    mirror.set(`/ggml-${id}.bin`, (_request, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': String(model.length) });
      response.write(model.subarray(0, bytes));
    });
    await server.client.call('installModel', { params: { id } });
    await until(async () => ((await find(server, id)).download?.received ?? 0) === bytes);
  };

  beforeAll(async () => {
    ({ speed } = await find(server, 'base'));
    await downloadPart('tiny', 5_000_000);
    await server.client.call('pauseModel', { params: { id: 'tiny' } });
    writeFileSync(`${modelPath(server, 'medium')}.part`, 'left over');
    mirror.requests.length = 0;
    await downloadPart('small', 15_000_000);
    await server.kill();
    mirror.set('/ggml-small.bin', file(model, { etag: '"one"' }));
    server = await startServer({ dataDir: server.dataDir, args: [] });
  });

  it('resumes a download, and keeps measured speeds', async () => {
    expect(await settled(server, 'small')).toMatchObject({ installed: true, download: null });
    const resumedAt = Number(/\d+/.exec(mirror.requests[1]?.headers.range ?? '')?.[0]);
    // A crash loses only what was not flushed to the disk.
    expect(resumedAt).toBeGreaterThan(10_000_000);
    expect(mirror.requests).toHaveLength(2);
    expect((await find(server, 'base')).speed).toBe(speed);
  });

  it('keeps a paused download paused, and removes orphaned files', async () => {
    expect((await find(server, 'tiny')).download).toMatchObject({ state: 'paused', received: 5_000_000 });
    expect(listModelsFolder().filter((name) => name.includes('medium'))).toEqual([]);
    await server.client.call('removeModel', { params: { id: 'tiny' } });
  });
});

describe('measuring a model', () => {
  it('runs one at a time, and is rejected while a transcription runs', async () => {
    // Takes a fraction of the time of the other family.
    await importModel(STARTER_PARAKEET, 'fast.en');
    const measure = async () =>
      (await server.client.call('benchmarkModel', { params: { id: 'fast.en' } })).data.elapsed;
    const startedAt = performance.now();
    const [one, other] = await Promise.all([measure(), measure()]);
    expect(one + other).toBeLessThan((performance.now() - startedAt) / 1000);

    const refused = { status: 409, code: 'conflict' };
    const interrupted = expect(measure()).rejects.toMatchObject(refused);
    const audio_url = mirror.set('/stalled.wav', stall(fixture(ONE_SENTENCE), 50_000));
    const { id } = await server.client.call('createTranscript', { body: { audio_url, model: 'fast.en' } });
    await interrupted;
    await expect(measure()).rejects.toMatchObject(refused);
    await server.client.call('deleteTranscript', { params: { id } });
  });
});

// Each command is a process, which a busy machine starts slowly.
describe('the command line', () => {
  it('installs, measures, lists and removes', async () => {
    mirror.set('/ggml-tiny.bin', file(model));
    const installed = await earshot('install', 'tiny');
    expect(installed).toMatchObject({ code: 0, out: '' });
    expect(installed.err).toContain('tiny is installed.');
    await server.client.call('removeModel', { params: { id: 'fast.en' } });
    await importModel(STARTER_PARAKEET, 'fast.en');
    expect((await find(server, 'fast.en')).speed).toBeNull();
    const measured = await earshot('benchmark', 'fast.en');
    expect(measured.code).toBe(0);
    expect(measured.out).toMatch(/fast.en +[\d.]+× +\d+ (s|min|h)/);
    const { speed } = await find(server, 'fast.en');
    expect(speed).toBeGreaterThan(0);
    const { out } = await earshot('list');
    expect(out).toMatch(/● +fast.en +[\d.]+ MB +installed +[\d.]+×/);
    expect(out).toMatch(/● +tiny +27.63 MB +installed/);
    const removed = await earshot('remove', 'tiny');
    expect(removed.err).toBe('tiny is removed.\n');
    expect((await find(server, 'tiny')).speed).toBeNull();
  });

  it('imports a file under a given name, and explains failures', async () => {
    const imported = await earshot('import', STARTER, '--id', 'copied');
    expect(imported.err).toContain('copied is installed.');
    const wrong = await earshot('import', SAMPLE);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/^error {2}/);
    mirror.set('/ggml-tiny.bin', file(model.subarray(0, 1000)));
    const failed = await earshot('install', 'tiny');
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(/error {2}tiny: What came is not tiny/);
  });
});
