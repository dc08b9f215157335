import { availableParallelism } from 'node:os';
import { isAppError } from '../../base/errors.ts';
import { type Logger, silentLogger } from '../../base/logger.ts';
import type {
  JobListeners,
  LanguageGuess,
  ModelFacts,
  ModelOptions,
  SpeechParams,
  SpeechSpan,
  SystemInfo,
  TranscribeParams,
  WhisperResult,
} from './addon.ts';
import { cancelled, engineClosed, engineCrashed, engineUnavailable } from './failures.ts';
import { defaultParallelism } from './parallelism.ts';
import { PROBE_FLAG, type TaskResult, type TaskResults, type WorkerTask } from './protocol.ts';
import { resumable } from './resumable.ts';
import { Slots } from './slots.ts';
import { WorkerClient, WorkerReplaced } from './worker-client.ts';
import type { ForkWorker } from './worker-process.ts';

const IDLE_MS = 5 * 60_000;
const JOBS_PER_WORKER = 500;
const SOFT_ABORT_MS = 900;
const STOP_GRACE_MS = 2000;
const PROBE_MS = 30_000;
const MOST_REPLACEMENTS = 3;

export type WhisperEngineOptions = {
  fork: ForkWorker;
  /** The built addon's file. */
  addonPath: string;
  /** The worker, and with it the model, is let go of after so long without work. Default 5 minutes. */
  idleMs?: number;
  /** Threads of one job; see `defaultParallelism`. */
  threads?: number;
  /** Jobs at once on one model. */
  statesSideBySide?: number;
  /** Whether a model that is loaded now may use a graphics processor. Default: yes. */
  acceleration?: () => boolean;
  /** The worker is replaced after so many jobs, once nothing runs. Default 500. */
  jobsPerWorker?: number;
  log?: Logger;
};

export type TranscribeRequest = JobListeners & {
  modelPath: string;
  modelOptions?: ModelOptions;
  /** Mono, 16 kHz, within -1 to 1. */
  pcm: Float32Array;
  params?: TranscribeParams;
  signal?: AbortSignal;
  /** Run while nothing else does: for the second try after a crash, so that only the guilty job crashes again. */
  alone?: boolean;
};

export type DetectLanguageRequest = Pick<TranscribeRequest, 'modelPath' | 'modelOptions' | 'pcm' | 'signal'>;

/**
 * Recognition in a worker process. Every promise rejects with an AppError: `engine_unavailable` (the addon
 * does not load here), `engine_crashed` (the process ended under the job), `cancelled` (its signal), `interrupted`
 * (closed), `model_not_installed`, `model_invalid`, `invalid_request` (a parameter, empty audio).
 */
export type WhisperEngine = {
  /** The running worker's process id, if one runs. */
  readonly workerPid: number | undefined;
  /** Jobs that run at once; more wait in order. */
  readonly statesSideBySide: number;
  /** Loads the addon in a process made for that alone. */
  probe(): Promise<SystemInfo>;
  transcribe(request: TranscribeRequest): Promise<WhisperResult>;
  detectLanguage(request: DetectLanguageRequest): Promise<LanguageGuess>;
  detectSpeech(pcm: Float32Array, params: SpeechParams, signal?: AbortSignal): Promise<SpeechSpan[]>;
  /** Checks a whole model file, without loading it. */
  modelFacts(modelPath: string): Promise<ModelFacts>;
  /** Ends the worker. Running jobs reject with `interrupted`. */
  close(): Promise<void>;
};

class ForkedWhisperEngine implements WhisperEngine {
  readonly statesSideBySide: number;
  readonly #options: WhisperEngineOptions;
  readonly #threads: number;
  readonly #slots: Slots;
  readonly #log: Logger;
  readonly #stopping = new Set<Promise<void>>();
  #client: WorkerClient | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WhisperEngineOptions) {
    const defaults = defaultParallelism(availableParallelism());
    this.#options = options;
    this.#threads = options.threads ?? defaults.threads;
    this.statesSideBySide = options.statesSideBySide ?? defaults.statesSideBySide;
    this.#slots = new Slots(this.statesSideBySide);
    this.#log = options.log ?? silentLogger;
  }

  get workerPid(): number | undefined {
    return this.#client?.usable ? this.#client.pid : undefined;
  }

  async probe(): Promise<SystemInfo> {
    const client = new WorkerClient(this.#options.fork([this.#options.addonPath, PROBE_FLAG]));
    const timer = setTimeout(() => void client.stop(0), PROBE_MS);
    try {
      return await client.ready;
    } catch (error) {
      if (isAppError(error) && error.code === 'engine_unavailable') throw error;
      const cause =
        isAppError(error) && error.cause instanceof Error ? error.cause.message : 'it gave no answer';
      throw engineUnavailable(cause);
    } finally {
      clearTimeout(timer);
      await client.stop(0);
    }
  }

  async transcribe(request: TranscribeRequest): Promise<WhisperResult> {
    const { modelPath, pcm, params = {}, signal, alone = false } = request;
    const task = {
      kind: 'transcribe',
      modelPath,
      modelOptions: this.#modelOptions(request.modelOptions),
      pcm,
      params: { threads: this.#threads, ...params },
    } as const;
    return this.#inSlot(task, alone, signal, resumable(request));
  }

  async detectLanguage(request: DetectLanguageRequest): Promise<LanguageGuess> {
    const { modelPath, pcm, signal } = request;
    const modelOptions = this.#modelOptions(request.modelOptions);
    const task = { kind: 'detectLanguage', modelPath, modelOptions, pcm, threads: this.#threads } as const;
    return this.#inSlot(task, false, signal);
  }

  async detectSpeech(pcm: Float32Array, params: SpeechParams, signal?: AbortSignal): Promise<SpeechSpan[]> {
    const task = { kind: 'detectSpeech', pcm, params: { threads: this.#threads, ...params } } as const;
    return this.#inSlot(task, false, signal);
  }

  async modelFacts(modelPath: string): Promise<ModelFacts> {
    return this.#inSlot({ kind: 'modelFacts', modelPath } as const, false, undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    this.#retire();
    await Promise.all(this.#stopping);
  }

  #modelOptions(asked: ModelOptions | undefined): ModelOptions {
    return { useGpu: this.#options.acceleration?.() ?? true, ...asked };
  }

  async #inSlot<Task extends WorkerTask>(
    task: Task,
    alone: boolean,
    signal: AbortSignal | undefined,
    listeners: () => JobListeners = () => ({}),
  ): Promise<TaskResults[Task['kind']]> {
    if (signal?.aborted) throw cancelled();
    const release = await this.#slots.take(alone, signal).catch(() => {
      throw cancelled();
    });
    clearTimeout(this.#idleTimer);
    try {
      // The worker answers a task with the result of its kind.
      return (await this.#perform(task, signal, listeners)) as TaskResults[Task['kind']];
    } finally {
      release();
      this.#afterJob();
    }
  }

  /** Runs a task; runs it again where its process had to be killed because another job would not stop. */
  async #perform(
    task: WorkerTask,
    signal: AbortSignal | undefined,
    listeners: () => JobListeners,
  ): Promise<TaskResult> {
    for (let attempt = 0; attempt < MOST_REPLACEMENTS; attempt += 1) {
      if (this.#closed) throw engineClosed();
      if (signal?.aborted) throw cancelled();
      try {
        return await this.#runOnce(task, signal, listeners());
      } catch (error) {
        if (!(error instanceof WorkerReplaced)) throw error;
      }
    }
    throw engineCrashed('its process was replaced too often');
  }

  async #runOnce(
    task: WorkerTask,
    signal: AbortSignal | undefined,
    listeners: JobListeners,
  ): Promise<TaskResult> {
    const client = this.#worker();
    const { id, promise, abort } = client.run(task, listeners);
    let killTimer: NodeJS.Timeout | undefined;
    const stop = () => {
      abort();
      killTimer = setTimeout(() => {
        if (client.has(id)) client.killFor(id);
      }, SOFT_ABORT_MS);
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await promise;
    } catch (error) {
      throw signal?.aborted ? cancelled() : error;
    } finally {
      clearTimeout(killTimer);
      signal?.removeEventListener('abort', stop);
    }
  }

  #worker(): WorkerClient {
    if (this.#client?.usable) return this.#client;
    const client = new WorkerClient(this.#options.fork([this.#options.addonPath]));
    this.#client = client;
    this.#log.debug({ pid: client.pid }, 'engine process started');
    client.ended.then((reason) => {
      if (reason !== undefined)
        this.#log.warn({ pid: client.pid, reason }, 'engine process ended unexpectedly');
    });
    return client;
  }

  #afterJob(): void {
    if (!this.#slots.idle || this.#closed || !this.#client) return;
    if (this.#client.jobsTaken >= (this.#options.jobsPerWorker ?? JOBS_PER_WORKER)) {
      this.#retire();
      return;
    }
    this.#idleTimer = setTimeout(() => this.#retire(), this.#options.idleMs ?? IDLE_MS);
    this.#idleTimer.unref();
  }

  /** Ends the worker; the next job starts a fresh one. That gives all of its memory back, whatever held it. */
  #retire(): void {
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    const stopped = client.stop(STOP_GRACE_MS).finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}

/** The engine over worker processes; nothing is started before the first job. */
export const createWhisperEngine = (options: WhisperEngineOptions): WhisperEngine =>
  new ForkedWhisperEngine(options);
