import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** Checks the database `source`, or copies it to the new file `target` and checks the copy. */
export type DatabaseTask = {
  readonly source: string;
  readonly target?: string;
  /** Pauses between the steps for as long as they take. */
  readonly isThrottled: boolean;
};

const TaskResult = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('good'),
    /** How often something had been erased from the database; see `erasuresOf`. */
    erasures: z.number().or(z.nan()),
  }),
  /** Nothing was copied: erased text is still to be removed from the database files. */
  z.object({ state: z.literal('unscrubbed') }),
  z.object({ state: z.literal('damaged') }),
  z.object({ state: z.literal('failed'), code: z.string().optional(), reason: z.string() }),
]);
export type TaskResult = z.output<typeof TaskResult>;

const SOURCE = pathToFileURL(join(import.meta.dirname, 'database-thread.ts'));

/**
 * Runs a task in a thread with a connection of its own, so that no request waits for it. `entry` is the thread's file in
 * a bundled program. Rejects with the signal's reason once that fires, and leaves an unfinished target behind.
 */
export const runDatabaseTask = (
  task: DatabaseTask,
  { entry = SOURCE, signal }: { readonly entry?: URL | undefined; readonly signal?: AbortSignal },
): Promise<TaskResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
  if (signal?.aborted) return Promise.reject(signal.reason);
  const worker = new Worker(entry, { workerData: task });
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  worker.once('message', (message) => {
    const result = TaskResult.safeParse(message);
    if (result.success) resolve(result.data);
    else reject(new Error('the database thread sent a message that is not part of the protocol'));
  });
  worker.once('error', reject);
  worker.once('exit', (code) => reject(new Error(`the database thread ended early (exit code ${code})`)));
  return promise.finally(() => {
    signal?.removeEventListener('abort', abort);
    worker.removeAllListeners();
    return worker.terminate();
  });
};
