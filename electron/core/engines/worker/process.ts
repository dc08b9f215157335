import { type ChildProcess, fork } from 'node:child_process';
import { Writable } from 'node:stream';
import { collectTail, workerEnvironment } from '../../base/child-process.ts';
import { SAMPLES_FD, type ToWorker, takeSamples } from './protocol.ts';

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
