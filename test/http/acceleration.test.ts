import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { accelerationFact } from '../../electron/cli/doctor.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { SettingsService } from '../../electron/core/services/settings.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { testAddon } from '../support/addon.ts';
import { type Behavior, fakeVulkan } from '../support/fake-vulkan.ts';
import { truth } from '../support/fixtures.ts';
import { discard, spawnEarshot, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { transcribe } from '../support/transcribe.ts';
import { until } from '../support/until.ts';
import { startUrlServer } from '../support/url-server.ts';
import { plainWords } from '../support/word-error-rate.ts';

vi.setConfig({ testTimeout: 180_000 });

const NOT_FASTER =
  /^Fake GPU \(fake 1\.0\) is not used; base-q8_0: not faster, \d+\.\d s instead of \d+\.\d s/;

let server: TestServer | undefined;

afterEach(async () => {
  if (server !== undefined) await discard(server);
  server = undefined;
});

/** What `earshot doctor` says of graphics processors, in a data folder that a service may have open. */
const doctorIn = async (dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const child = await spawnEarshot(['doctor', '--data-dir', dataDir], env);
  if (child.stdout === null) throw new Error('no output to read');
  const closed = once(child, 'close');
  const out = await text(child.stdout);
  await closed;
  return /Acceleration +(.+)/.exec(out)?.[1] ?? out;
};

const doctor = (behavior: Behavior, dataDir = temporaryFolder()): Promise<string> =>
  doctorIn(dataDir, { EARSHOT_ADDON: fakeVulkan(behavior).addonPath });

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
    expect(await doctorIn(started.dataDir)).toMatch(/^none can be used: .*its process ended: SIGABRT/);
    await started.client.call('patchSettings', { body: { 'engine.device': 'cpu' } });
    const off = await started.client.call('system');
    expect(off.data.acceleration).toMatchObject({ enabled: false, state: 'off' });
    await remote.close();
  });

  it('is used without a trial where a person insists, and says which model failed on it', async () => {
    const dataDir = temporaryFolder();
    const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
    new SettingsService(db, {}).change({ 'engine.device': 'vulkan' });
    db.close();
    const forced = 'Fake GPU (fake 1.0) runs every model that works on it';
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
    expect(await doctorIn(dataDir)).toBe(
      `${forced}; starter: does not run on it: its process ended: SIGABRT`,
    );
    await remote.close();
  });

  it('is in earshot doctor, which waits until the models were tried', async () => {
    const faster = { cpu: 400, device: 10 };
    expect(await doctor(faster)).toMatch(
      /^Fake GPU \(fake 1\.0\) runs the models that are faster on it; base-q8_0: used, \d+\.\d s instead of \d+\.\d s$/,
    );
    // The trial is longer than the 30 s that Whisper encodes at once.
    expect(await doctor({ ...faster, rightUpTo: 30 })).toMatch(
      /^Fake GPU \(fake 1\.0\) is not used; base-q8_0: hears other words/,
    );
  });

  it('is called unused where no model is faster on it', () => {
    const slower = { outcome: 'slower', cpu_seconds: 1.24, device_seconds: 54, detail: null } as const;
    const trials = [{ ...slower, model: 'base-q8_0' }];
    const unused = { enabled: true, state: 'not_used', device: 'Fake GPU', detail: 'fake 1.0' } as const;
    expect(accelerationFact({ ...unused, trials })).toMatch(NOT_FASTER);
  });
});
