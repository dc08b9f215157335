import { readSync } from 'node:fs';
import {
  type FromWorker,
  putSamples,
  SAMPLES_FD,
  TaskError,
  type TaskHandler,
  type ToWorker,
  type WorkerEngine,
} from '../core/engines/worker/protocol.ts';

/** The worker's end of the channel to its host. */
export type Port = {
  send(message: FromWorker): void;
  onMessage(listener: (message: ToWorker) => void): void;
  /** Called when the host process has ended. */
  onDisconnect(listener: () => void): void;
};

/** Electron's utility process offers this on `process`; its types are not used outside Electron's own code. */
type ParentPort = {
  postMessage(message: FromWorker): void;
  on(event: 'message', listener: (event: { data: ToWorker }) => void): void;
};

const electronPort = (): ParentPort | undefined => {
  const host: NodeJS.Process & { parentPort?: ParentPort } = process;
  return host.parentPort;
};

/** Fills `bytes` from the pipe of samples. The host has written them, or is writing. */
const readSamples = (bytes: Uint8Array): void => {
  for (let offset = 0; offset < bytes.length; ) {
    const count = readSync(SAMPLES_FD, bytes, offset, bytes.length - offset, null);
    if (count === 0) throw new Error('The host has ended.');
    offset += count;
  }
};

/** Opens the channel under `child_process.fork` as well as under Electron's `utilityProcess`. */
export const openPort = (): Port => {
  const electron = electronPort();
  if (electron) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on('message', ({ data }) => listener(data)),
      // Chromium ends its utility processes with the browser process.
      onDisconnect: () => {},
    };
  }
  return {
    send: (message) => {
      // A message to a host that has just ended is dropped: `disconnect` ends this process.
      if (process.connected) process.send?.(message, undefined, {}, () => {});
    },
    onMessage: (listener) =>
      process.on('message', (message: ToWorker) => listener(putSamples(message, readSamples))),
    onDisconnect: (listener) => process.on('disconnect', listener),
  };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const toTaskError = (error: unknown): TaskError =>
  error instanceof TaskError ? error : new TaskError('internal_error', messageOf(error));

/** Runs the tasks of one engine in this process. */
class TaskServer {
  readonly #engine: WorkerEngine;
  readonly #port: Port;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #running = new Map<number, AbortController>();

  constructor(engine: WorkerEngine, port: Port) {
    this.#engine = engine;
    this.#port = port;
    this.#handlers = new Map(engine.handlers.map((handler) => [handler.kind, handler]));
  }

  receive(message: ToWorker): void {
    if (message.type === 'run') void this.#run(message.id, message.kind, message.input);
    else if (message.type === 'abort') this.#running.get(message.id)?.abort();
    else void this.#stop();
  }

  /** Answers every task exactly once. */
  async #run(id: number, kind: string, input: unknown): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const handler = this.#handlers.get(kind);
      if (!handler) throw new Error(`This worker has no task "${kind}".`);
      const emit = (event: unknown) => this.#port.send({ type: 'event', id, event });
      const result = await handler.run(input, { signal: controller.signal, emit });
      this.#port.send({ type: 'done', id, result });
    } catch (error) {
      const { code, message } = (this.#engine.toTaskError ?? toTaskError)(error);
      this.#port.send({ type: 'failed', id, code, message });
    } finally {
      this.#running.delete(id);
    }
  }

  async #stop(): Promise<void> {
    await this.#engine.close?.();
    process.exit(0);
  }
}

/** Loads an engine and serves its tasks until the host ends the process. */
export const serve = (port: Port, load: () => WorkerEngine): void => {
  // Without a host the results are useless: end at once, whatever the native threads are doing.
  port.onDisconnect(() => process.kill(process.pid, 'SIGKILL'));
  try {
    const server = new TaskServer(load(), port);
    port.onMessage((message) => server.receive(message));
  } catch (error) {
    port.send({ type: 'unusable', message: messageOf(error) });
  }
};
