import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { testAddon } from '../support/addon.ts';
import { runEarshot } from '../support/command-line.ts';
import { type Behavior, fakeVulkan } from '../support/fake-vulkan.ts';
import { truth } from '../support/fixtures.ts';
import { discard, spawnEarshot, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { transcribe } from '../support/transcribe.ts';
import { until } from '../support/until.ts';
import { startUrlServer } from '../support/url-server.ts';
import { plainWords } from '../support/word-error-rate.ts';

vi.setConfig({ testTimeout: 180_000 });

let server: TestServer | undefined;

afterEach(async () => {
  if (server !== undefined) await discard(server);
  server = undefined;
});

const doctor = async (behavior: Behavior, dataDir = temporaryFolder()): Promise<string> => {
  const { addonPath } = fakeVulkan(behavior);
  const child = await spawnEarshot(['doctor', '--data-dir', dataDir], { EARSHOT_ADDON: addonPath });
  if (child.stdout === null) throw new Error('no output to read');
  const closed = once(child, 'close');
  const out = await text(child.stdout);
  await closed;
  return /Acceleration +(.+)/.exec(out)?.[1] ?? out;
};

describe('a graphics processor', () => {
  it('does no harm where its driver crashes', async () => {
    const fake = fakeVulkan({ library: 'crash' }, await testAddon());
    const remote = await startUrlServer();
    const started = await startServer({ quick: true, env: { EARSHOT_ADDON: fake.addonPath } });
    server = started;
    const { text: heard } = await transcribe(started, remote, '00-one-sentence.wav');
    expect(plainWords(heard ?? '')).toEqual(plainWords(truth('00-one-sentence.wav').text));
    const { data } = await until(async () => {
      const answer = await started.client.call('system');
      return answer.data.acceleration.state === 'pending' ? undefined : answer;
    });
    expect(data.acceleration).toMatchObject({ enabled: true, state: 'unavailable', device: null });
    expect(data.acceleration.detail).toMatch(/its process ended: SIGABRT/);
    await started.client.call('patchSettings', { body: { 'engine.device': 'cpu' } });
    const off = await started.client.call('system');
    expect(off.data.acceleration).toMatchObject({ enabled: false, state: 'off' });
    await remote.close();
  });

  it('is used without a trial where a person insists, and says which model failed on it', async () => {
    const dataDir = temporaryFolder();
    await runEarshot(dataDir, 'settings', 'set', 'engine.device', 'vulkan');
    expect(await doctor({ device: 900 }, dataDir)).toBe(
      'Fake GPU (fake 1.0) runs every model that works on it',
    );
    const fake = fakeVulkan({ device: 'crash' }, await testAddon());
    const remote = await startUrlServer();
    server = await startServer({ quick: true, dataDir, env: { EARSHOT_ADDON: fake.addonPath } });
    const { text: heard } = await transcribe(server, remote, '00-one-sentence.wav');
    expect(plainWords(heard ?? '')).toEqual(plainWords(truth('00-one-sentence.wav').text));
    const { data } = await server.client.call('system');
    expect(data.acceleration).toMatchObject({
      state: 'forced',
      device: 'Fake GPU',
      detail: 'fake 1.0',
      trials: [{ model: 'starter', outcome: 'failed', detail: 'its process ended: SIGABRT' }],
    });
    await remote.close();
  });

  it('is in earshot doctor with the reason', async () => {
    expect(await doctor({ library: 'missing' })).toBe(
      'none can be used: libvulkan.so.1: cannot open shared object file',
    );
    expect(await doctor({ cpu: 20, device: 900 })).toMatch(
      /^Fake GPU \(fake 1\.0\) is not used; starter: not faster, \d+\.\d s instead of \d+\.\d s; starter-parakeet: not faster/,
    );
    // Parakeet's encoder computes up to 20.5 s in one piece, Whisper's 30 s.
    expect(await doctor({ cpu: 400, device: 10, rightUpTo: 30, limitedIn: 'ggml-starter.bin' })).toMatch(
      /^Fake GPU \(fake 1\.0\) runs the models that are faster on it; starter: hears other words.*; starter-parakeet: used, \d+\.\d s instead of \d+\.\d s/,
    );
  });
});
