import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../electron/core/base/clock.ts';
import { AppError } from '../../../../electron/core/base/errors.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { quantizeModel } from '../../../../electron/core/engines/whisper/copies/quantize.ts';
import { forkNodeWorker } from '../../../../electron/core/engines/worker/process.ts';
import { IdleWork } from '../../../../electron/core/services/idle-work.ts';
import { QuantizedCopies } from '../../../../electron/core/services/models/copies.ts';
import { ModelFiles } from '../../../../electron/core/services/models/files.ts';
import { SettingsService } from '../../../../electron/core/services/settings.ts';
import type { Database } from '../../../../electron/core/stores/database.ts';
import { breadth } from '../../../support/breadth.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { type Behavior, type FakeVulkan, fakeVulkan } from '../../../support/fake-vulkan.ts';
import { RESOURCES, WORKER_ENTRY } from '../../../support/paths.ts';
import { writeSmallModel } from '../../../support/small-model-file.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { until } from '../../../support/until.ts';

const fork = forkNodeWorker(WORKER_ENTRY);
const ID = 'own';
const FASTER = { published: 12, copy: 1 } as const;

let db: Database;
let settings: SettingsService;
let folder: string;
let fake: FakeVulkan;
let isBusy: boolean;
let forks: number;
/** Called when a process of the engine is started. */
let onFork: () => void;
let opened: IdleWork[];

type Options = { readonly version?: string; readonly files?: ModelFiles };

const modelFiles = () => new ModelFiles({ installed: folder, bundled: join(RESOURCES, 'models') });
const published = (): string => join(folder, `ggml-${ID}.bin`);
const copy = (): string => join(folder, 'quantized', `ggml-${ID}-q8_0.bin`);

const open = ({ version = '1', files = modelFiles() }: Options = {}) => {
  const idleWork = new IdleWork({ clock: systemClock, isBusy: () => isBusy, idleMs: 50 });
  opened.push(idleWork);
  const copies = new QuantizedCopies({
    db,
    clock: systemClock,
    logger: silentLogger,
    settings,
    version,
    addonPath: fake.addonPath,
    parallelism: { threads: 1, concurrency: 2 },
    device: 'cpu',
    forkEngine: () => {
      forks += 1;
      onFork();
      return fork(['whisper', fake.addonPath]);
    },
    idleWork,
    sampleAudio: async () => new Float32Array(16_000),
    files,
    isQuantizable: () => true,
    onSettled: () => {},
  });
  copies.open([ID]);
  return { copies, idleWork };
};

const settled = (copies: QuantizedCopies) =>
  until(() => {
    const state = copies.describe(ID);
    return state === null || state.outcome === 'pending' ? undefined : state;
  });

const chosen = (copies: QuantizedCopies, begunWith?: 'published' | 'q8_0') =>
  copies.choose(ID, published(), begunWith);

const PUBLISHED = () => ({ path: published(), weights: 'published' });
const COPY = () => ({ path: copy(), weights: 'q8_0' });

const behave = (files: Behavior['files']): void => {
  fake.become({ ...(files === undefined ? {} : { files }) });
};

const writeModel = (value = 1): void =>
  writeSmallModel(published(), [
    { name: 'matrix', dimensions: [32, 2], values: Float32Array.from({ length: 64 }, (_, i) => value * i) },
  ]);

const filesOfCopies = (): string[] =>
  existsSync(dirname(copy())) ? readdirSync(dirname(copy())).toSorted() : [];

beforeEach(() => {
  db = openTestDatabase();
  settings = new SettingsService(db, {});
  folder = temporaryFolder();
  fake = fakeVulkan({ files: FASTER });
  isBusy = false;
  forks = 0;
  onFork = () => {};
  opened = [];
  writeModel();
});
afterEach(async () => {
  for (const each of opened) await each.close();
});

describe('the copy of a model', () => {
  it('is used where it is faster, and remembered', async () => {
    const { copies } = open();
    expect(copies.describe(ID)).toMatchObject({ outcome: 'pending', size: null });
    expect(chosen(copies)).toEqual(PUBLISHED());
    const reference = join(temporaryFolder(), 'reference.bin');
    const { bytes } = quantizeModel(published(), reference);
    expect(await settled(copies)).toMatchObject({ outcome: 'faster', size: bytes, detail: null });
    expect(chosen(copies)).toEqual(COPY());
    expect(readFileSync(copy()).equals(readFileSync(reference))).toBe(true);
    expect(filesOfCopies()).toEqual([`ggml-${ID}-q8_0.bin`]);
    const before = forks;
    writeFileSync(`${copy()}.part`, 'of a process that was killed');
    const { copies: again } = open();
    expect(chosen(again)).toEqual(COPY());
    await until(() => (filesOfCopies().length === 1 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(forks).toBe(before);
  });

  it.each([
    ['slower', { published: 4, copy: 8 }],
    ['crashed', { published: 4, copy: 'crash' }],
    // Other results of a trial, which unit tests judge.
    ...breadth(
      [],
      [
        ['different', { ...FASTER, copyText: 'Good mourning.' }] as const,
        ['failed', { ...FASTER, publishedText: '', copyText: ' … ' }] as const,
      ],
    ),
  ] as const)('is removed, and remembered, where it is %s', async (outcome, files) => {
    behave(files);
    const { copies } = open();
    expect(await settled(copies)).toMatchObject({ outcome, size: null });
    expect(chosen(copies)).toEqual(PUBLISHED());
    expect(filesOfCopies()).toEqual([]);
    const before = forks;
    const { copies: again } = open();
    expect(again.describe(ID)?.outcome).toBe(outcome);
    expect(chosen(again)).toEqual(PUBLISHED());
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(forks).toBe(before);
  });

  it('is not made of a file that holds no numbers', async () => {
    writeModel(Number.NaN);
    const { copies } = open();
    expect(await settled(copies)).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('matrix holds a number that is not finite'),
    });
    expect(chosen(copies)).toEqual(PUBLISHED());
    expect(filesOfCopies()).toEqual([]);
  });

  it.each([
    [
      'before it is written',
      class extends ModelFiles {
        override async checkDiskSpace(): Promise<void> {
          throw new AppError('disk_full', 'There is not room for the model.');
        }
      },
      'There is not room for the model.',
    ],
    [
      'while it is written',
      class extends ModelFiles {
        override async newCopyPath(): Promise<string> {
          return '/dev/full';
        }
      },
      'ENOSPC: no space left on device, write',
    ],
  ] as const)(
    'is not made, until the next start, where the disk is full %s',
    async (_when, Files, detail) => {
      const files = new Files({ installed: folder, bundled: join(RESOURCES, 'models') });
      const { copies, idleWork } = open({ files });
      expect(await settled(copies)).toMatchObject({ outcome: 'failed', detail });
      expect(chosen(copies)).toEqual(PUBLISHED());
      expect(filesOfCopies()).toEqual([]);
      await idleWork.close();
      expect(open().copies.describe(ID)?.outcome).toBe('pending');
    },
  );

  it('waits for jobs, gives way to one, and is not written twice', async () => {
    behave({ published: 60, copy: 2 });
    isBusy = true;
    const { copies, idleWork } = open();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(forks).toBe(0);
    isBusy = false;
    await until(() => (fake.calls().includes('published') ? true : undefined));
    const made = readFileSync(copy());
    const release = idleWork.hold();
    const calls = fake.calls().length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(fake.calls().length).toBeLessThanOrEqual(calls + 1);
    expect(chosen(copies)).toEqual(PUBLISHED());
    expect(copies.describe(ID)?.outcome).toBe('pending');
    utimesSync(copy(), 1, 1);
    release();
    expect(await settled(copies)).toMatchObject({ outcome: 'faster' });
    expect(readFileSync(copy()).equals(made)).toBe(true);
    // Written once: the time that the test gave it is still there.
    expect(statSync(copy()).mtime).toEqual(new Date(1000));
  });

  it('is made anew where it is damaged or the model is another one, and remains are removed', async () => {
    mkdirSync(dirname(copy()));
    writeFileSync(join(dirname(copy()), 'ggml-removed-q8_0.bin'), 'of a model that is gone');
    writeFileSync(`${copy()}.part`, 'of a process that was killed');
    writeFileSync(copy(), 'without a record');
    const { copies, idleWork } = open();
    await settled(copies);
    expect(filesOfCopies()).toEqual([`ggml-${ID}-q8_0.bin`]);
    expect(chosen(copies)).toEqual(COPY());
    const whole = readFileSync(copy());

    truncateSync(copy(), 100);
    expect(chosen(copies)).toEqual(PUBLISHED());
    await settled(copies);
    expect(chosen(copies)).toEqual(COPY());
    expect(readFileSync(copy()).equals(whole)).toBe(true);

    writeModel(3);
    utimesSync(published(), 5, 5);
    expect(chosen(copies)).toEqual(PUBLISHED());
    await settled(copies);
    expect(chosen(copies)).toEqual(COPY());
    expect(readFileSync(copy()).equals(whole)).toBe(false);
    await idleWork.close();
  });

  it('is made and tried again where the model is replaced during its trial', async () => {
    behave({ published: 300, copy: 1 });
    const { copies } = open();
    await until(() => fake.calls().includes('published'));
    behave(FASTER);
    writeModel(3);
    utimesSync(published(), 5, 5);
    expect(chosen(copies)).toEqual(PUBLISHED());
    const reference = join(temporaryFolder(), 'reference.bin');
    quantizeModel(published(), reference);
    expect(await settled(copies)).toMatchObject({ outcome: 'faster' });
    expect(chosen(copies)).toEqual(COPY());
    expect(readFileSync(copy()).equals(readFileSync(reference))).toBe(true);
  });

  it('is removed with its model, and where the setting says so', async () => {
    const { copies } = open();
    await settled(copies);
    settings.change({ 'engine.device': 'vulkan' });
    expect(copies.describe(ID)).toBeNull();
    expect(chosen(copies)).toEqual(PUBLISHED());
    settings.change({ 'engine.device': 'auto' });
    expect(chosen(copies)).toEqual(COPY());
    settings.change({ 'engine.quantize': 'off' });
    copies.settingsChanged([ID]);
    expect(copies.describe(ID)).toBeNull();
    expect(chosen(copies)).toEqual(PUBLISHED());
    await until(() => (existsSync(copy()) ? undefined : true));
    settings.change({ 'engine.quantize': 'auto' });
    copies.settingsChanged([ID]);
    expect(await settled(copies)).toMatchObject({ outcome: 'faster' });
    expect(chosen(copies)).toEqual(COPY());
    await copies.remove(ID);
    expect(filesOfCopies()).toEqual([]);
  });
});

describe('a job that goes on', () => {
  it('keeps the weights that it began with, as long as they are there', async () => {
    const first = open();
    await settled(first.copies);
    expect(chosen(first.copies, 'published')).toEqual(PUBLISHED());
    await first.idleWork.close();
    const calls = fake.calls().length;

    // Another version of the program: the copy has to be tried again.
    behave({ published: 4, copy: 8 });
    // While that runs, a job begins, and the trial ends before the job needs the engine.
    onFork = () => {
      isBusy = true;
    };
    const { copies } = open({ version: '2' });
    expect(chosen(copies)).toEqual(PUBLISHED());
    expect(chosen(copies, 'q8_0')).toEqual(COPY());
    await until(() => (fake.calls().length === calls + 6 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(existsSync(copy())).toBe(true);
    expect(copies.describe(ID)?.outcome).toBe('pending');
    onFork = () => {};
    isBusy = false;
    expect(await settled(copies)).toMatchObject({ outcome: 'slower' });
    expect(chosen(copies, 'q8_0')).toEqual(PUBLISHED());
  });
});
