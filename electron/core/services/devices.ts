import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Acceleration } from '../../contract/system.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { vulkanLibrary } from '../base/layout.ts';
import type { Logger } from '../base/logger.ts';
import {
  DEADLINES,
  type Deadlines,
  findDevice,
  type Trial,
  type TrialDeps,
  tryDevice,
} from '../engines/whisper/devices/trial.ts';
import {
  chooseDevice,
  type Device,
  type DeviceLease,
  type Devices,
  deviceState,
  type Found,
  type Knowledge,
} from '../engines/whisper/devices/types.ts';
import type { Parallelism } from '../engines/whisper/engine.ts';
import type { WorkerProcess } from '../engines/worker/client.ts';
import type { WritableDb } from '../stores/database.ts';
import { readDeviceTrials, writeDeviceTrial } from '../stores/models.ts';
import type { IdleTask, IdleWork } from './idle-work.ts';
import type { SettingsService } from './settings.ts';

type Deps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsService;
  readonly version: string;
  readonly addonPath: string;
  readonly parallelism: Parallelism;
  /** Starts an engine process. */
  readonly fork: () => WorkerProcess;
  /** Reads the bundled recording. */
  readonly sample: () => Promise<Float32Array>;
  /** The paths of the models that are tried without being asked for. */
  readonly bundled: readonly string[];
  readonly deadlines?: Deadlines;
  readonly idleWork: IdleWork;
};

const nameOf = (modelPath: string): string =>
  basename(modelPath)
    .replace(/^ggml-/, '')
    .replace(/\.bin$/, '');

/** A model by its file: one that was replaced is another one. */
const keyOf = async (modelPath: string): Promise<string> => {
  const file = await stat(modelPath).catch(() => undefined);
  return JSON.stringify([nameOf(modelPath), file?.size, file?.mtimeMs]);
};

const Key = z.tuple([z.string()], z.unknown());

/** Undefined for what another program wrote. */
const nameOfKey = (key: string): string | undefined => {
  try {
    return Key.safeParse(JSON.parse(key)).data?.[0];
  } catch {
    // Not JSON.
    return undefined;
  }
};

const OUTCOMES: ReadonlySet<string> = new Set<Trial['outcome']>([
  'faster',
  'slower',
  'different',
  'crashed',
  'timeout',
  'failed',
]);
const isOutcome = (outcome: string): outcome is Trial['outcome'] => OUTCOMES.has(outcome);

const failedTrial = (reason: string): Trial => ({
  outcome: 'failed',
  cpuSeconds: null,
  deviceSeconds: null,
  detail: reason,
});

const toAnswer = (model: string, trial: Trial | undefined): Acceleration['trials'][number] => ({
  model,
  outcome: trial?.outcome ?? 'pending',
  cpu_seconds: trial?.cpuSeconds ?? null,
  device_seconds: trial?.deviceSeconds ?? null,
  detail: trial?.detail ?? null,
});

/**
 * Decides where each model runs. Finds the graphics processor, and tries models on it, in processes that may crash or hang,
 * while no job runs; a model runs on the processor until its trial says otherwise.
 */
export class DeviceService implements Devices {
  readonly #deps: Deps;
  readonly #library: string;
  readonly #hasLibrary: boolean;
  readonly #closing = new AbortController();
  readonly #trials = new Map<string, Trial>();
  /** Paths of models that failed on the graphics processor in this run, with the reason. */
  readonly #failures = new Map<string, string>();
  /** Paths of models to try. */
  readonly #waiting = new Set<string>();
  #found: Found;
  #finding: Promise<void> | undefined;
  /** What a trial depends on beside the model. */
  #conditions = '';

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.idleWork.add(() => this.#nextTrial());
    this.#library = vulkanLibrary(deps.addonPath);
    this.#hasLibrary = existsSync(this.#library);
  }

  /** Begins to find the device and to try the bundled models, unless that is known. */
  start(): void {
    if (this.#hasLibrary && this.#setting() !== 'cpu') void this.#find();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#finding;
  }

  async lease(modelPath: string): Promise<DeviceLease> {
    // The job needs the processor; a trial begins again after it.
    const release = this.#deps.idleWork.hold();
    try {
      return { device: await this.#choose(modelPath), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  failed(modelPath: string, reason: string): void {
    this.#deps.logger.warn({ model: nameOf(modelPath), reason }, 'A model failed on the graphics processor');
    this.#failures.set(modelPath, reason);
    if (this.#setting() !== 'auto') return;
    void keyOf(modelPath).then((key) => this.#save(key, failedTrial(reason)));
  }

  /** `builtIn`: the device of the backend that is linked into the addon. */
  async describe(builtIn: string | null): Promise<Acceleration> {
    this.start();
    const setting = this.#setting();
    // Only `auto` tries models; `vulkan` learns from jobs alone whether one fails.
    const waiting = setting === 'auto' ? await Promise.all([...this.#waiting].map(keyOf)) : [];
    const trials = new Map<string, Trial | undefined>([
      ...waiting.map((key): [string, undefined] => [key, undefined]),
      ...this.#trials,
    ]);
    const failures = [...this.#failures].map(([path, reason]) => toAnswer(nameOf(path), failedTrial(reason)));
    const found = this.#found;
    const device = found !== undefined && 'device' in found ? found.device : undefined;
    return {
      enabled: setting !== 'cpu',
      device: device?.name ?? builtIn,
      state: deviceState(this.#knowledge(), builtIn, [...trials.values()]),
      detail: (found !== undefined && 'failure' in found ? found.failure : device?.driver) ?? null,
      // By name: trials end in any order.
      trials: (setting === 'vulkan'
        ? failures
        : [...trials].map(([key, trial]) => toAnswer(nameOfKey(key) ?? key, trial))
      ).toSorted((a, b) => a.model.localeCompare(b.model)),
    };
  }

  #setting() {
    return this.#deps.settings.get('engine.device');
  }

  #knowledge(): Knowledge {
    return { setting: this.#setting(), hasLibrary: this.#hasLibrary, found: this.#found };
  }

  async #choose(modelPath: string): Promise<Device> {
    const setting = this.#setting();
    if (!this.#hasLibrary || setting === 'cpu') return chooseDevice(this.#knowledge(), undefined, false);
    const finding = this.#find();
    // Whoever insists on the graphics processor waits for it; everyone else goes on without it.
    if (setting === 'vulkan') await finding;
    const trial = this.#trials.get(await keyOf(modelPath));
    const knowledge = this.#knowledge();
    const hasDevice = knowledge.found === undefined || 'device' in knowledge.found;
    if (trial === undefined && setting === 'auto' && hasDevice) this.#waiting.add(modelPath);
    return chooseDevice(knowledge, trial, this.#failures.has(modelPath));
  }

  #trialDeps(): TrialDeps {
    return { fork: this.#deps.fork, deadlines: this.#deps.deadlines ?? DEADLINES };
  }

  #find(): Promise<void> {
    this.#finding ??= this.#findOnce().catch((error: unknown) => {
      if (!this.#closing.signal.aborted) this.#found = { failure: messageOf(error) };
    });
    return this.#finding;
  }

  async #findOnce(): Promise<void> {
    const { db, version, parallelism, bundled, logger } = this.#deps;
    const answer = await findDevice(this.#trialDeps(), this.#closing.signal);
    if ('outcome' in answer) {
      const how = { crashed: 'its process ended: ', timeout: '', failed: '' }[answer.outcome];
      this.#found = { failure: how + answer.detail };
      this.#waiting.clear();
      logger.warn({ reason: answer.detail, output: answer.output }, 'No graphics processor can be used');
      return;
    }
    const { size, mtimeMs } = statSync(this.#library);
    const { threads, concurrency } = parallelism;
    this.#conditions = JSON.stringify([
      version,
      size,
      mtimeMs,
      answer.name,
      answer.driver,
      threads,
      concurrency,
    ]);
    for (const row of readDeviceTrials(db, this.#conditions)) {
      if (!isOutcome(row.outcome) || nameOfKey(row.model) === undefined) continue;
      this.#trials.set(row.model, {
        outcome: row.outcome,
        cpuSeconds: row.cpu_seconds,
        deviceSeconds: row.device_seconds,
        detail: row.detail,
      });
    }
    for (const path of bundled) if (!this.#trials.has(await keyOf(path))) this.#waiting.add(path);
    this.#found = { device: answer };
    this.#deps.idleWork.schedule();
  }

  #save(key: string, trial: Trial): void {
    this.#trials.set(key, trial);
    const { db, clock } = this.#deps;
    writeDeviceTrial(db, {
      model: key,
      conditions: this.#conditions,
      outcome: trial.outcome,
      cpu_seconds: trial.cpuSeconds,
      device_seconds: trial.deviceSeconds,
      detail: trial.detail,
      tried_at: clock.now(),
    });
  }

  #nextTrial(): IdleTask | undefined {
    const isReady = this.#found !== undefined && 'device' in this.#found && this.#setting() === 'auto';
    const [next] = this.#waiting;
    return isReady && next !== undefined ? (signal) => this.#try(next, signal) : undefined;
  }

  /** Tries a model, or leaves it waiting if a job interrupts. */
  async #try(modelPath: string, signal: AbortSignal): Promise<void> {
    const { logger, parallelism, sample, settings } = this.#deps;
    try {
      const { threads, concurrency: copies } = parallelism;
      const params = { language: 'auto', threads, beamSize: settings.get('engine.beamSize') };
      const input = { modelPath, pcm: await sample(), copies, params };
      const key = await keyOf(modelPath);
      const trial = await tryDevice(this.#trialDeps(), input, signal);
      this.#save(key, trial);
      this.#waiting.delete(modelPath);
      logger.info({ model: nameOf(modelPath), ...trial }, 'A model was tried on the graphics processor');
    } catch (error) {
      if (signal.aborted) return;
      this.#waiting.delete(modelPath);
      logger.warn({ reason: messageOf(error) }, 'The graphics processor could not be tried');
    }
  }
}
