import { type ChildProcess, fork } from 'node:child_process';
import { Writable } from 'node:stream';
import { z } from 'zod';
import { JOB_ERROR_CODES } from '../../../contract/errors.ts';
import { collectTail, workerEnvironment } from '../../base/child-process.ts';
import { AppError } from '../../base/errors.ts';
import {
  engineClosed,
  engineCrashed,
  engineUnavailable,
  type FromWorker,
  SAMPLES_FD,
  type TaskDefinition,
  type ToWorker,
  takeSamples,
  taskCancelled,
} from './protocol.ts';

/** A worker process as its host sees it, whichever runtime started it. */
export type WorkerProcess = {
  readonly pid: number | undefined;
  send(message: ToWorker): void;
  /** Messages are unchecked; {@link WorkerClient} parses them. */
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, also when the process could not be started. `reason` is for the log. */
  onExit(listener: (reason: string) => void): void;
  /** The end of what the process wrote to its standard error. */
  stderrTail(): string;
  /** Ends the process at once, whatever it is doing. */
  kill(): void;
};

/** Starts a worker process with these arguments: the engine's name, then the engine's own arguments. */
export type ForkWorker = (args: string[]) => WorkerProcess;

/** Undefined if no descriptor was left to start the process, which then has no `stdio`. */
const samplesPipe = ({ stdio }: { readonly stdio?: ChildProcess['stdio'] }): Writable | undefined => {
  const pipe = stdio?.[SAMPLES_FD];
  return pipe instanceof Writable ? pipe : undefined;
};

/** Starts workers as plain Node processes from the file `entry`. */
export const forkNodeWorker =
  (entry: string): ForkWorker =>
  (args) => {
    const child = fork(entry, args, {
      serialization: 'advanced',
      execArgv: [],
      env: workerEnvironment(process.env),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    });
    const samples = samplesPipe(child);
    // How a process ended is answered by `onExit`.
    samples?.on('error', () => {});
    return {
      pid: child.pid,
      send: (task) => {
        // A message to a process that has ended already is answered by `onExit`.
        if (!child.connected) return;
        const { message, bytes } = takeSamples(task);
        child.send(message, () => {});
        if (bytes) samples?.write(bytes);
      },
      onMessage: (listener) => child.on('message', listener),
      onExit: (listener) => {
        child.once('error', (error) => listener(error.message));
        child.once('exit', (code, signal) => listener(signal ?? `exit code ${code}`));
      },
      stderrTail: collectTail(child.stderr),
      kill: () => {
        child.kill('SIGKILL');
        // No write to it goes on, so that the samples can be sent to another process, and freed.
        samples?.destroy();
      },
    };
  };

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('unusable'), message: z.string() }),
  z.object({ type: z.literal('event'), id: z.int(), event: z.unknown() }),
  z.object({ type: z.literal('done'), id: z.int(), result: z.unknown() }),
  z.object({
    type: z.literal('failed'),
    id: z.int(),
    code: z.enum(['invalid_request', ...JOB_ERROR_CODES]).catch('internal_error'),
    message: z.string(),
  }),
]) satisfies z.ZodType<FromWorker>;

type InFlightTask = {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  onEvent(event: unknown): void;
  isAborted: boolean;
};

/** A task in flight. */
export type TaskRun<Result> = {
  /** Rejects with the AppError of the handler, `engine_crashed`, `engine_unavailable`, or {@link WorkerReplaced}. */
  readonly promise: Promise<Result>;
  /** Asks the task to stop; the promise then rejects with `cancelled`. */
  abort(): void;
  /** Kills the process if the task is still in flight; the other tasks reject with {@link WorkerReplaced}. */
  kill(): void;
};

/** The process was killed because another task would not stop, or made no progress: this task may run again in the next process. */
export class WorkerReplaced extends Error {}

/** One worker process and its tasks in flight. */
export class WorkerClient {
  readonly #process: WorkerProcess;
  readonly #inFlight = new Map<number, InFlightTask>();
  readonly #killedFor = new Set<number>();
  readonly #exited = Promise.withResolvers<string | undefined>();
  #nextId = 1;
  #tasksStarted = 0;
  /** Why the process takes no more tasks. */
  #failure: AppError | undefined;
  #isStopping = false;

  constructor(process: WorkerProcess) {
    this.#process = process;
    process.onMessage((message) => this.#receive(message));
    process.onExit((reason) => this.#handleExit(reason));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** False once the process has ended, is ending, or could not load its engine. */
  get isUsable(): boolean {
    return this.#failure === undefined && !this.#isStopping;
  }

  get tasksStarted(): number {
    return this.#tasksStarted;
  }

  /** Resolves when the process has ended: with the reason if that was unexpected, else with undefined. */
  get exited(): Promise<string | undefined> {
    return this.#exited.promise;
  }

  run<Input, Result, Event>(
    task: TaskDefinition<string, Input, Result, Event>,
    input: Input,
    onEvent?: (event: Event) => void,
  ): TaskRun<Result> {
    if (this.#failure) return { promise: Promise.reject(this.#failure), abort: () => {}, kill: () => {} };
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const inFlight: InFlightTask = {
      resolve,
      reject,
      // Events only inform: a malformed one is dropped instead of failing the task.
      onEvent: (event) => {
        const parsed = task.event?.safeParse(event);
        if (parsed?.success) onEvent?.(parsed.data);
      },
      isAborted: false,
    };
    this.#inFlight.set(id, inFlight);
    this.#tasksStarted += 1;
    this.#process.send({ type: 'run', id, kind: task.kind, input });
    return {
      promise: promise.then((result) => task.result.parse(result)),
      abort: () => {
        inFlight.isAborted = true;
        this.#process.send({ type: 'abort', id });
      },
      kill: () => {
        if (!this.#inFlight.has(id)) return;
        this.#killedFor.add(id);
        this.#process.kill();
      },
    };
  }

  /** Ends the process: gently within `graceMs` if it is idle, at once if tasks are in flight. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#failure) return;
    if (this.#inFlight.size > 0) this.#process.kill();
    else this.#process.send({ type: 'stop' });
    const timer = setTimeout(() => this.#process.kill(), graceMs);
    await this.#exited.promise;
    clearTimeout(timer);
  }

  #receive(data: unknown): void {
    const parsed = Message.safeParse(data);
    if (!parsed.success) {
      this.#fail(engineCrashed('it sent a message that is not part of the protocol'));
      this.#process.kill();
      return;
    }
    const message = parsed.data;
    if (message.type === 'unusable') {
      this.#fail(engineUnavailable(message.message));
      this.#process.kill();
      return;
    }
    const task = this.#inFlight.get(message.id);
    if (!task) return;
    if (message.type === 'event') {
      task.onEvent(message.event);
      return;
    }
    this.#inFlight.delete(message.id);
    if (message.type === 'done') task.resolve(message.result);
    else task.reject(new AppError(message.code, message.message));
  }

  #handleExit(reason: string): void {
    const stderr = this.#process.stderrTail();
    const isExpected = this.#isStopping || this.#failure !== undefined;
    this.#fail(this.#isStopping ? engineClosed() : engineCrashed(stderr ? `${reason}: ${stderr}` : reason));
    this.#exited.resolve(isExpected ? undefined : reason);
  }

  #fail(error: AppError): void {
    if (this.#failure) return;
    this.#failure = error;
    const tasks = [...this.#inFlight];
    this.#inFlight.clear();
    for (const [id, task] of tasks) {
      const isBystander = this.#killedFor.size > 0 && !this.#killedFor.has(id);
      task.reject(task.isAborted ? taskCancelled() : isBystander ? new WorkerReplaced() : error);
    }
  }
}
