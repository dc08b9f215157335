import { onAbort, throwIfAborted } from '../../base/abort.ts';
import { WorkerClient, type WorkerProcess } from './client.ts';
import type { TaskDefinition } from './protocol.ts';
import { StallWatch } from './stall-watch.ts';

const STOP_GRACE_MS = 1000;

/**
 * Runs `work` with a worker process of its own, for native libraries that keep state between tasks or cannot be
 * interrupted. The process is killed when `signal` aborts, and ends with `work`.
 */
export const withDedicatedWorker = async <T>(
  fork: () => WorkerProcess,
  signal: AbortSignal | undefined,
  work: (client: WorkerClient) => Promise<T>,
): Promise<T> => {
  throwIfAborted(signal);
  const client = new WorkerClient(fork());
  const unlisten = onAbort(signal, () => void client.stop(0));
  try {
    return await work(client);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    unlisten();
    await client.stop(STOP_GRACE_MS);
  }
};

/** Runs a task; rejects with `engine_crashed` if it is not done within `limitMs`, for its process hangs. */
export const runWithin = <Input, Result>(
  client: WorkerClient,
  task: TaskDefinition<string, Input, Result>,
  input: Input,
  limitMs: number,
): Promise<Result> => {
  const run = client.run(task, input);
  const watch = new StallWatch(limitMs, () => run.kill());
  return run.promise.finally(() => watch.stop());
};
