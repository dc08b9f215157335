import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { testAddon } from '../../support/addon.ts';
import { breadth } from '../../support/breadth.ts';
import { resultOf } from '../../support/command-line.ts';
import { type FakeVulkan, fakeVulkan } from '../../support/fake-vulkan.ts';
import { catalogueLine, find, install, starterBytes } from '../../support/model-mirror.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { discard, spawnEarshot, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { transcribe } from '../../support/transcribe.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

vi.setConfig({ testTimeout: 180_000 });

const FASTER = { published: 12, copy: 1 } as const;
const model = starterBytes();

let mirror: UrlServer;
let fake: FakeVulkan;
let server: TestServer | undefined;

const start = async (dataDir: string): Promise<TestServer> => {
  server = await startServer({
    dataDir,
    args: ['--allow-private-addresses'],
    env: { EARSHOT_ADDON: fake.addonPath },
  });
  await server.client.call('patchSettings', {
    body: { 'models.baseUrl': mirror.url('/'), 'models.catalogue': [catalogueLine('base', model)] },
  });
  return server;
};

const earshot = async (dataDir: string, ...args: string[]) =>
  resultOf(await spawnEarshot([...args, '--data-dir', dataDir], { EARSHOT_ADDON: fake.addonPath }));

const copied = (one: TestServer) =>
  until(async () => {
    const { quantized } = await find(one, 'base');
    return quantized?.outcome === 'pending' ? undefined : quantized;
  });

const copiesIn = (dataDir: string): string[] => {
  const folder = join(dataDir, 'models', 'quantized');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const modelBytes = async (one: TestServer): Promise<number> => {
  const { data } = await one.client.call('diskUsage');
  return data.parts.find(({ part }) => part === 'models')?.bytes ?? 0;
};

beforeEach(async () => {
  fake = fakeVulkan({ library: 'missing', files: FASTER }, await testAddon());
  mirror = await startUrlServer();
  mirror.set('/ggml-base.bin', file(model));
});
afterEach(async () => {
  if (server !== undefined) await discard(server);
  server = undefined;
  await mirror.close();
});

it('a model that was installed runs as an 8-bit copy where that is faster, once its trial was not killed', async () => {
  const dataDir = temporaryFolder();
  fake.become({ library: 'missing', files: { ...FASTER, delay: 3000 } });
  const killed = await start(dataDir);
  expect(await install(killed, 'base')).toMatchObject({ installed: true, weights: 'f16' });
  await until(() => (fake.calls().includes('published') ? true : undefined));
  expect(await find(killed, 'base')).toMatchObject({ quantized: { outcome: 'pending' } });
  await killed.kill();

  fake.become({ library: 'missing', files: FASTER });
  const one = await start(dataDir);
  const state = await copied(one);
  expect(state).toMatchObject({ outcome: 'faster', size: 16_316_175, detail: null });
  expect(copiesIn(dataDir)).toEqual(['ggml-base-q8_0.bin']);
  expect(await modelBytes(one)).toBe(model.length + 16_316_175);
  const transcript = await transcribe(one, mirror, '00-one-sentence.wav', { model: 'base' });
  expect(transcript).toMatchObject({ model: 'base', model_id: 'base', status: 'completed' });
  expect(fake.calls().at(-1)).toBe('copy');

  const list = await earshot(one.dataDir, 'models', 'list');
  expect(list.out).toMatch(/base .*Runs as an 8-bit copy, \d\.\d s instead of \d\.\d s\./);
  const doctor = await earshot(one.dataDir, 'doctor');
  expect(doctor.out).toMatch(/Models +.*base \(runs as an 8-bit copy, /);

  await one.client.call('patchSettings', { body: { 'engine.quantize': 'off' } });
  expect((await find(one, 'base')).quantized).toBeNull();
  await until(() => (copiesIn(one.dataDir).length === 0 ? true : undefined));
  // Which weights a job takes then is in the tests of the copies themselves, too.
  if (breadth(false, true)) {
    await transcribe(one, mirror, '00-one-sentence.wav', { model: 'base' });
    expect(fake.calls().at(-1)).toBe('published');
  }
  await one.client.call('removeModel', { params: { id: 'base' } });
  expect(await modelBytes(one)).toBe(0);
});

it('the command line tries the copy of a model that it imports, and says what came of it', async () => {
  const dataDir = temporaryFolder();
  fake.become({ library: 'missing', files: { ...FASTER, copyText: 'Good mourning.' } });
  const { code, err } = await earshot(dataDir, 'models', 'import', STARTER_MODEL, '--id', 'own');
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('own is installed.') });
  expect(err).toContain('own: runs as published, an 8-bit copy hears other words: Good mourning.');
  expect(copiesIn(dataDir)).toEqual([]);
});
