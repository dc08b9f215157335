import { onAbort } from '../../base/abort.ts';
import { type Logger, silentLogger } from '../../base/logger.ts';
import { type TaskRun, WorkerClient, type WorkerProcess, WorkerReplaced } from './client.ts';
import { engineClosed, engineCrashed, type TaskDefinition, taskCancelled } from './protocol.ts';
import { StallWatch } from './stall-watch.ts';

/** How a task takes its place among others. */
type Claim = {
  /** Run while no other task does, so that after a crash only the task at fault can crash again. */
  readonly exclusive?: boolean | undefined;
  /** Run before those that wait, and beside those that run. */
  readonly urgent?: boolean | undefined;
};

type Waiter = { readonly exclusive: boolean; readonly urgent: boolean; grant: () => void };

/**
 * A fair counting semaphore: permits are granted in order of arrival, and a waiter that needs all of them holds back
 * everyone behind it. Urgent waiters come first, and wait only for each other and for an exclusive holder; others get their
 * permits the later.
 */
export class Semaphore {
  readonly #permits: number;
  readonly #waiters: Waiter[] = [];
  /** Below zero while urgent holders run beside others. */
  #available: number;
  #urgentHolders = 0;
  #isExclusive = false;

  constructor(permits: number) {
    this.#permits = permits;
    this.#available = permits;
  }

  get isIdle(): boolean {
    return this.#available === this.#permits && this.#waiters.length === 0;
  }

  /**
   * Waits for one permit, or for all of them if `exclusive`. Resolves with the function that releases them. An
   * aborted signal rejects with its reason.
   */
  async acquire(
    { exclusive = false, urgent = false }: Claim = {},
    signal?: AbortSignal,
  ): Promise<() => void> {
    signal?.throwIfAborted();
    const waiter: Waiter = { exclusive, urgent, grant: () => {} };
    await new Promise<void>((resolve, reject) => {
      const abandon = () => {
        const index = this.#waiters.indexOf(waiter);
        if (index < 0) return;
        this.#waiters.splice(index, 1);
        reject(signal?.reason);
        this.#grantNext();
      };
      waiter.grant = () => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      signal?.addEventListener('abort', abandon, { once: true });
      const place = urgent ? this.#waiters.findIndex((other) => !other.urgent) : -1;
      this.#waiters.splice(place < 0 ? this.#waiters.length : place, 0, waiter);
      this.#grantNext();
    });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count(waiter, -1);
      this.#grantNext();
    };
  }

  #count({ exclusive, urgent }: Waiter, holders: 1 | -1): void {
    this.#available -= holders * (exclusive ? this.#permits : 1);
    if (urgent) this.#urgentHolders += holders;
    if (exclusive) this.#isExclusive = holders > 0;
  }

  #isFree({ exclusive, urgent }: Waiter): boolean {
    if (urgent && !exclusive) return !this.#isExclusive && this.#urgentHolders < this.#permits;
    return this.#available >= (exclusive ? this.#permits : 1);
  }

  #grantNext(): void {
    for (let first = this.#waiters[0]; first && this.#isFree(first); first = this.#waiters[0]) {
      this.#waiters.shift();
      this.#count(first, 1);
      first.grant();
    }
  }
}

/** The least limit. */
const MIN_LIMIT_MS = 60_000;
/** The decoder may try a difficult window many times before it goes on to the next. */
const TIMES_MEASURED = 60;
/** Whisper encodes a whole window of 30 s, however short the audio is. */
const MIN_SECONDS = 30;
/** Before a process was measured: time to load a large model from a slow disk, and 10 s a second of audio. */
const LOADING_MS = 10 * 60_000;
const UNMEASURED_MS_PER_SECOND = 10_000;

/** Audio that a task works on. */
type Work = {
  /** The task, its model and its device: tasks of one kind run at one pace. */
  readonly kind: string;
  readonly seconds: number;
};

/** How long a task of a process may go without progress: many times what the slowest of its kind took in that process. */
class StallLimits {
  /** Milliseconds a second of audio, with the time to load the model. */
  readonly #slowest = new Map<string, number>();

  limitMs({ kind, seconds }: Work): number {
    const pace = this.#slowest.get(kind);
    const atLeast = Math.max(MIN_SECONDS, seconds);
    if (pace === undefined) return LOADING_MS + UNMEASURED_MS_PER_SECOND * atLeast;
    return Math.max(MIN_LIMIT_MS, TIMES_MEASURED * pace * atLeast);
  }

  /** A task was done. */
  add({ kind, seconds }: Work, elapsedMs: number): void {
    const pace = elapsedMs / Math.max(MIN_SECONDS, seconds);
    this.#slowest.set(kind, Math.max(pace, this.#slowest.get(kind) ?? 0));
  }
}

const DEFAULT_IDLE_MS = 5 * 60_000;
const DEFAULT_TASKS_PER_WORKER = 500;
/** How long an aborted task may take to stop before its process is killed. */
const ABORT_GRACE_MS = 900;
const STOP_GRACE_MS = 2000;
const MAX_WORKER_RESTARTS = 3;

export type WorkerHostOptions = {
  readonly fork: () => WorkerProcess;
  /** Tasks at once; more wait in order. */
  readonly concurrency: number;
  /** The process ends after this long without a task. Default 5 minutes. */
  readonly idleMs?: number | undefined;
  /** The process is replaced after this many tasks, as soon as none is in flight. Default 500. */
  readonly tasksPerWorker?: number | undefined;
  readonly log?: Logger | undefined;
};

type TaskOptions<Event> = Claim & {
  readonly signal?: AbortSignal | undefined;
  /** Limits how long the task may go without an event: its process then counts as crashed. Absent: without limit. */
  readonly work?: Work | undefined;
  /** A task that is restarted in another process emits its events again. */
  readonly onEvent?: (event: Event) => void;
};

/**
 * Keeps one worker process alive between tasks and contains its crashes. The process starts with the first task and
 * ends when idle; both give back all memory of the native code. Tasks reject with the AppError of their handler,
 * `engine_unavailable`, `engine_crashed` (the process ended), `cancelled` (the signal) or `interrupted` (closed).
 */
export class WorkerHost {
  readonly #options: WorkerHostOptions;
  readonly #semaphore: Semaphore;
  readonly #log: Logger;
  readonly #stopping = new Set<Promise<void>>();
  readonly #watches = new Set<StallWatch>();
  #client: WorkerClient | undefined;
  #limits = new StallLimits();
  #wasReplaced = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkerHostOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.concurrency);
    this.#log = options.log ?? silentLogger;
  }

  /** The process id of the running worker, if there is one. */
  get pid(): number | undefined {
    return this.#client?.isUsable ? this.#client.pid : undefined;
  }

  /** Whether a task makes no progress, or its process was replaced for that and none was done since. */
  get isStalled(): boolean {
    return this.#wasReplaced || [...this.#watches].some(({ isSilent }) => isSilent);
  }

  async run<Input, Result, Event>(
    task: TaskDefinition<string, Input, Result, Event>,
    input: Input,
    options: TaskOptions<Event> = {},
  ): Promise<Result> {
    const { signal } = options;
    if (signal?.aborted) throw taskCancelled();
    const release = await this.#semaphore.acquire(options, signal).catch(() => {
      throw taskCancelled();
    });
    clearTimeout(this.#idleTimer);
    try {
      return await this.#runUntilSettled(task, input, options);
    } finally {
      release();
      this.#afterTask(options);
    }
  }

  /** Ends the process; tasks in flight reject with `interrupted`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#retireWorker();
    await Promise.all(this.#stopping);
  }

  /** Restarts the task if its process was killed because of another task. */
  async #runUntilSettled<Input, Result, Event>(
    task: TaskDefinition<string, Input, Result, Event>,
    input: Input,
    options: TaskOptions<Event>,
  ): Promise<Result> {
    for (let restarts = 0; restarts < MAX_WORKER_RESTARTS; restarts += 1) {
      if (this.#isClosed) throw engineClosed();
      if (options.signal?.aborted) throw taskCancelled();
      try {
        return await this.#runOnce(task, input, options);
      } catch (error) {
        if (!(error instanceof WorkerReplaced)) throw error;
      }
    }
    throw engineCrashed('its process was replaced too often');
  }

  async #runOnce<Input, Result, Event>(
    task: TaskDefinition<string, Input, Result, Event>,
    input: Input,
    { signal, onEvent, work }: TaskOptions<Event>,
  ): Promise<Result> {
    const run = this.#worker().run(task, input, (event: Event) => {
      watch?.touch();
      onEvent?.(event);
    });
    const watch = work === undefined ? undefined : this.#watch(run, work);
    const [limits, startedAt] = [this.#limits, performance.now()];
    let killTimer: NodeJS.Timeout | undefined;
    const unlisten = onAbort(signal, () => {
      run.abort();
      killTimer = setTimeout(() => run.kill(), ABORT_GRACE_MS);
    });
    try {
      const result = await run.promise;
      if (work !== undefined) limits.add(work, performance.now() - startedAt);
      this.#wasReplaced = false;
      return result;
    } catch (error) {
      throw signal?.aborted ? taskCancelled() : error;
    } finally {
      clearTimeout(killTimer);
      watch?.stop();
      if (watch !== undefined) this.#watches.delete(watch);
      unlisten();
    }
  }

  #watch(run: Pick<TaskRun<unknown>, 'kill'>, work: Work): StallWatch {
    const limitMs = this.#limits.limitMs(work);
    const watch = new StallWatch(limitMs, () => {
      this.#log.warn({ seconds: Math.round(limitMs / 1000) }, 'The engine made no progress and is replaced');
      this.#wasReplaced = true;
      run.kill();
    });
    this.#watches.add(watch);
    return watch;
  }

  #worker(): WorkerClient {
    if (this.#client?.isUsable) return this.#client;
    const client = new WorkerClient(this.#options.fork());
    this.#client = client;
    this.#limits = new StallLimits();
    this.#log.debug({ pid: client.pid }, 'engine process started');
    client.exited.then((reason) => {
      if (reason !== undefined)
        this.#log.warn({ pid: client.pid, reason }, 'engine process ended unexpectedly');
    });
    return client;
  }

  #afterTask({ urgent = false }: Claim): void {
    if (!this.#semaphore.isIdle || this.#isClosed || !this.#client) return;
    const { tasksPerWorker = DEFAULT_TASKS_PER_WORKER, idleMs = DEFAULT_IDLE_MS } = this.#options;
    // Another urgent task follows soon, which must not wait until the model is loaded again.
    if (!urgent && this.#client.tasksStarted >= tasksPerWorker) {
      this.#retireWorker();
      return;
    }
    this.#idleTimer = setTimeout(() => this.#retireWorker(), idleMs);
    this.#idleTimer.unref();
  }

  #retireWorker(): void {
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    const stopped = client.stop(STOP_GRACE_MS).finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}
