import { fork } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { FromWorker, ToWorker } from './protocol.ts';

/** A worker process as the engine sees it, whatever started it. */
export type WorkerProcess = {
  readonly pid: number | undefined;
  send(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** Called once, also when the process could not be started. `reason` is for the log. */
  onExit(listener: (reason: string) => void): void;
  /** The last lines that the process wrote to its error output. */
  lastWords(): string;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
};

/** Starts a worker process with these arguments. The desktop app hands in one over Electron's `utilityProcess`. */
export type ForkWorker = (args: string[]) => WorkerProcess;

const LAST_WORDS = 2000;

/** What only the server needs stays out of the process that runs native code on strangers' files. */
const workerEnvironment = (): NodeJS.ProcessEnv => {
  const { EARSHOT_API_KEY: _key, NODE_OPTIONS: _options, ...environment } = process.env;
  return environment;
};

/** Keeps the end of what a stream says. */
const tailOf = (stream: NodeJS.ReadableStream | null): (() => string) => {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  stream?.on('data', (chunk: Buffer) => {
    tail = (tail + decoder.write(chunk)).slice(-LAST_WORDS);
  });
  return () => tail.trim();
};

/** Starts workers as plain Node processes from the file `entry`. */
export const forkNodeWorker =
  (entry: string): ForkWorker =>
  (args) => {
    const child = fork(entry, args, {
      serialization: 'advanced',
      execArgv: [],
      env: workerEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const lastWords = tailOf(child.stderr);
    return {
      pid: child.pid,
      send: (message) => {
        // A message that comes too late for a process that has ended is answered by `onExit`.
        if (child.connected) child.send(message, () => {});
      },
      onMessage: (listener) => child.on('message', (message: FromWorker) => listener(message)),
      onExit: (listener) => {
        child.once('error', (error) => listener(error.message));
        child.once('exit', (code, signal) => listener(signal ?? `exit code ${code}`));
      },
      lastWords,
      kill: () => child.kill('SIGKILL'),
    };
  };
