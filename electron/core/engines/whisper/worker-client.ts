import type { AppError } from '../../base/errors.ts';
import type { JobListeners, SystemInfo } from './addon.ts';
import { cancelled, engineClosed, engineCrashed, engineUnavailable, nativeFailure } from './failures.ts';
import type { FromWorker, TaskResult, WorkerTask } from './protocol.ts';
import type { WorkerProcess } from './worker-process.ts';

type Job = JobListeners & {
  resolve(result: TaskResult): void;
  reject(error: unknown): void;
  aborted: boolean;
};

/** Why a job ended without any fault of its own: the process had to be killed for another job's sake. */
export class WorkerReplaced extends Error {}

/** One worker process and the jobs in it. */
export class WorkerClient {
  readonly #process: WorkerProcess;
  readonly #jobs = new Map<number, Job>();
  readonly #ended = Promise.withResolvers<string | undefined>();
  readonly #ready = Promise.withResolvers<SystemInfo>();
  #nextId = 1;
  #jobsTaken = 0;
  #lost: AppError | undefined;
  #stopping = false;
  readonly #killedFor = new Set<number>();

  constructor(process: WorkerProcess) {
    this.#process = process;
    process.onMessage((message) => this.#receive(message));
    process.onExit((reason) => this.#exited(reason));
    // Whoever needs it awaits it; a process that ends before is no unhandled failure.
    this.#ready.promise.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }
  /** False once it has ended, is ending, or could not load the addon. */
  get usable(): boolean {
    return this.#lost === undefined && !this.#stopping;
  }
  get jobsTaken(): number {
    return this.#jobsTaken;
  }
  get jobsRunning(): number {
    return this.#jobs.size;
  }
  /** Resolves with what the engine can do; rejects with `engine_unavailable`. */
  get ready(): Promise<SystemInfo> {
    return this.#ready.promise;
  }

  /** Resolves when the process has ended: with the reason where nobody wanted it to, else with undefined. */
  get ended(): Promise<string | undefined> {
    return this.#ended.promise;
  }

  /** Sends a task. `abort` asks it to stop; the promise then rejects with `cancelled`. */
  run(
    task: WorkerTask,
    listeners: JobListeners = {},
  ): { id: number; promise: Promise<TaskResult>; abort(): void } {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
    if (this.#lost) {
      reject(this.#lost);
      return { id, promise, abort: () => {} };
    }
    const job: Job = { ...listeners, resolve, reject, aborted: false };
    this.#jobs.set(id, job);
    this.#jobsTaken += 1;
    this.#process.send({ type: 'run', id, task });
    const abort = () => {
      job.aborted = true;
      this.#process.send({ type: 'abort', id });
    };
    return { id, promise, abort };
  }

  has(id: number): boolean {
    return this.#jobs.has(id);
  }

  /** Ends the process at once: the job `id` would not stop. The others end with {@link WorkerReplaced}. */
  killFor(id: number): void {
    this.#killedFor.add(id);
    this.#process.kill();
  }

  /** Ends the process: gently where it is idle, giving it `graceMs`, and at once where jobs are running. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#lost) return;
    if (this.#jobs.size > 0) this.#process.kill();
    else this.#process.send({ type: 'stop' });
    const timer = setTimeout(() => this.#process.kill(), graceMs);
    await this.#ended.promise;
    clearTimeout(timer);
  }

  #receive(message: FromWorker): void {
    if (message.type === 'ready') {
      this.#ready.resolve(message.system);
      return;
    }
    if (message.type === 'unusable') {
      this.#lose(engineUnavailable(message.message));
      this.#process.kill();
      return;
    }
    const job = this.#jobs.get(message.id);
    if (!job) return;
    if (message.type === 'progress') job.onProgress?.(message.percent);
    else if (message.type === 'segment') job.onSegment?.(message.segment);
    else if (message.type === 'language') job.onLanguage?.(message.guess);
    else {
      this.#jobs.delete(message.id);
      if (message.type === 'done') job.resolve(message.result);
      else job.reject(nativeFailure(message.code, message.message));
    }
  }

  #exited(reason: string): void {
    const words = this.#process.lastWords();
    const expected = this.#stopping || this.#lost !== undefined;
    this.#lose(this.#stopping ? engineClosed() : engineCrashed(words ? `${reason}: ${words}` : reason));
    this.#ended.resolve(expected ? undefined : reason);
  }

  #lose(error: AppError): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#ready.reject(error);
    const jobs = [...this.#jobs];
    this.#jobs.clear();
    for (const [id, job] of jobs) {
      const innocent = this.#killedFor.size > 0 && !this.#killedFor.has(id);
      job.reject(job.aborted ? cancelled() : innocent ? new WorkerReplaced() : error);
    }
  }
}
