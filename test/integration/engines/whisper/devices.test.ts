import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../electron/core/base/clock.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { DEADLINES, type Deadlines } from '../../../../electron/core/engines/whisper/devices/trial.ts';
import { createWhisperEngine } from '../../../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../../../electron/core/engines/worker/client.ts';
import { DeviceService } from '../../../../electron/core/services/devices.ts';
import { IdleWork } from '../../../../electron/core/services/idle-work.ts';
import { SettingsService } from '../../../../electron/core/services/settings.ts';
import { type Database, sql } from '../../../../electron/core/stores/database.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { type Behavior, type FakeVulkan, fakeVulkan } from '../../../support/fake-vulkan.ts';
import { WORKER_ENTRY } from '../../../support/paths.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { until } from '../../../support/until.ts';

const fork = forkNodeWorker(WORKER_ENTRY);
const parallelism = { threads: 1, concurrency: 2 };

let db: Database;
let fake: FakeVulkan;
let settings: SettingsService;
let model: string;
/** Shorter only for what hangs: a busy machine takes seconds to start a process. */
let deadlines: Deadlines;
let opened: { close(): Promise<void> }[];

type Options = { readonly bundled?: boolean; readonly version?: string };

const open = ({ bundled = true, version = '1' }: Options = {}): DeviceService => {
  const idleWork = new IdleWork({ clock: systemClock, isBusy: () => false, idleMs: 100 });
  const service = new DeviceService({
    db,
    clock: systemClock,
    logger: silentLogger,
    settings,
    version,
    addonPath: fake.addonPath,
    parallelism,
    fork: () => fork(['whisper', fake.addonPath]),
    sample: async () => new Float32Array(16_000),
    bundled: bundled ? [model] : [],
    deadlines,
    idleWork,
  });
  opened.push(service, idleWork);
  return service;
};

const begin = (behavior: Behavior): void => {
  const { findMs, deviceMs } = DEADLINES;
  deadlines = {
    ...DEADLINES,
    findMs: behavior.library === 'hang' ? 8000 : findMs,
    deviceMs: behavior.device === 'hang' ? 3000 : deviceMs,
  };
  fake = fakeVulkan({ cpu: behavior.device === 'hang' ? 1 : 400, ...behavior });
};

const deviceOf = async (service: DeviceService): Promise<string> => {
  const { device, release } = await service.lease(model);
  release();
  return device;
};

/** The state once nothing more is to be tried. */
const settled = (service: DeviceService) =>
  until(async () => {
    const state = await service.describe(null);
    const isTrying = state.state === 'pending' || state.trials.some(({ outcome }) => outcome === 'pending');
    return isTrying ? undefined : state;
  });

beforeEach(() => {
  db = openTestDatabase();
  settings = new SettingsService(db, {});
  model = join(temporaryFolder(), 'ggml-fake.bin');
  writeFileSync(model, 'weights');
  opened = [];
});
afterEach(async () => {
  for (const each of opened.toReversed()) await each.close();
});

describe('finding a graphics processor', () => {
  it.each([
    ['crash', /its process ended: SIGABRT/],
    ['hang', /no answer within 8 seconds/],
    ['missing', /libvulkan\.so\.1: cannot open/],
  ] as const)('goes on without it where its library meets: %s', async (library, reason) => {
    begin({ library });
    const service = open();
    service.start();
    expect(await deviceOf(service)).toBe('cpu');
    const state = await settled(service);
    expect(state).toMatchObject({ enabled: true, state: 'unavailable', device: null, trials: [] });
    expect(state.detail).toMatch(reason);
    settings.change({ 'engine.device': 'vulkan' });
    expect(await deviceOf(service)).toBe('cpu');
    expect(fake.calls()).toEqual(['library']);
  });

  it('starts no process where it is switched off', async () => {
    begin({});
    settings.change({ 'engine.device': 'cpu' });
    const service = open();
    service.start();
    expect(await deviceOf(service)).toBe('cpu');
    expect(await service.describe(null)).toMatchObject({ enabled: false, state: 'off' });
    expect(fake.calls()).toEqual([]);
  });
});

describe('trying a model', () => {
  it.each([
    ['faster', { device: 1 }, 'vulkan', 'in_use'],
    ['slower', { device: 2000 }, 'cpu', 'not_used'],
    ['crashed', { device: 'crash' }, 'cpu', 'not_used'],
    ['timeout', { device: 'hang' }, 'cpu', 'not_used'],
    ['failed', { device: 'refuses' }, 'cpu', 'not_used'],
  ] as const)('%s', async (outcome, behavior, device, state) => {
    begin(behavior);
    const service = open();
    service.start();
    const answer = await settled(service);
    expect(answer).toMatchObject({
      state,
      device: 'Fake GPU',
      trials: [{ model: 'fake', outcome, cpu_seconds: expect.any(Number) }],
    });
    expect(await deviceOf(service)).toBe(device);
    settings.change({ 'engine.device': 'vulkan' });
    expect(await deviceOf(service)).toBe('vulkan');
    settings.change({ 'engine.device': 'cpu' });
    expect(await deviceOf(service)).toBe('cpu');
  });

  it('is remembered, until the driver or the program changes', async () => {
    begin({});
    const first = open();
    first.start();
    await settled(first);
    const loads = ['load cpu', 'load vulkan'];
    expect(fake.calls()).toEqual(['library', ...loads.toSpliced(1, 0, 'library')]);
    // What another program wrote is left out.
    for (const row of db.all(sql.selectFrom('device_trials').selectAll())) {
      db.run(sql.insertInto('device_trials').values({ ...row, model: 'no JSON' }));
    }
    const again = open();
    again.start();
    const { trials } = await until(async () => {
      const state = await again.describe(null);
      return state.state === 'in_use' ? state : undefined;
    });
    expect(trials).toMatchObject([{ model: 'fake', outcome: 'faster' }]);
    expect(await deviceOf(again)).toBe('vulkan');
    expect(fake.calls().filter((call) => loads.includes(call))).toEqual(loads);

    fake.become({ cpu: 400, driver: 'fake 2.0' });
    const otherDriver = open();
    otherDriver.start();
    await settled(otherDriver);
    expect(fake.calls().filter((call) => call === 'load vulkan')).toHaveLength(2);
    const otherProgram = open({ version: '2' });
    otherProgram.start();
    await settled(otherProgram);
    expect(fake.calls().filter((call) => call === 'load vulkan')).toHaveLength(3);
  });

  it('waits for running jobs, and gives way to one', async () => {
    // It is still hearing when the second job begins, however late that is.
    begin({ device: 200, cpu: 600_000 });
    const service = open({ bundled: false });
    const job = await service.lease(model);
    expect(job.device).toBe('cpu');
    await until(async () => (await service.describe(null)).device ?? undefined);
    expect(await service.describe(null)).toMatchObject({ trials: [{ model: 'fake', outcome: 'pending' }] });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(fake.calls()).toEqual(['library']);
    job.release();
    await until(() => (fake.calls().includes('load cpu') ? true : undefined));
    const next = await service.lease(model);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(fake.calls()).not.toContain('load vulkan');
    fake.become({ device: 200, cpu: 800 });
    next.release();
    expect(await settled(service)).toMatchObject({ trials: [{ model: 'fake', outcome: 'faster' }] });
  });
});

describe('a job on the graphics processor', () => {
  const engineWith = (devices: DeviceService) => {
    const engine = createWhisperEngine({ fork, addonPath: fake.addonPath, ...parallelism, devices });
    opened.push(engine);
    return engine;
  };
  const pcm = new Float32Array(16_000);

  it.each(['crash', 'refuses'] as const)('goes on on the processor after: %s', async (device) => {
    begin({ device: 1 });
    const service = open();
    service.start();
    await settled(service);
    fake.become({ cpu: 50, device });
    const engine = engineWith(service);
    const { segments } = await engine.transcribe({ modelPath: model, pcm });
    expect(segments[0]?.text).toBe('Good morning');
    expect(fake.calls().slice(-3)).toEqual(['library', 'load vulkan', 'load cpu']);
    expect(await deviceOf(service)).toBe('cpu');
    await until(async () => (await service.describe(null)).state === 'not_used' || undefined);
    const next = open();
    next.start();
    expect(await settled(next)).toMatchObject({ trials: [{ outcome: 'failed' }] });
  });

  it('uses it where it was faster', async () => {
    begin({ device: 1 });
    const service = open();
    service.start();
    await settled(service);
    const { segments } = await engineWith(service).transcribe({ modelPath: model, pcm });
    expect(segments[0]?.text).toBe('Good morning.');
  });
});
