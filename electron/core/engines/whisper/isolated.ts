import { throwIfAborted } from '../../base/abort.ts';
import { isAppError, messageOf } from '../../base/errors.ts';
import type { WorkerClient } from '../worker/client.ts';
import { withDedicatedWorker } from '../worker/dedicated.ts';
import type { WorkerProcess } from '../worker/process.ts';

/** How the process of a trial ends: it may crash or hang. */
export type Failure = {
  readonly outcome: 'crashed' | 'timeout' | 'failed';
  /** For the window: without what the process wrote, which may have paths. */
  readonly detail: string;
  /** For the log: the end of what a crashed process wrote to its standard error. */
  readonly output?: string;
};

export type IsolatedDeps = { readonly fork: () => WorkerProcess };

const MAX_DETAIL = 300;
const MAX_OUTPUT = 1000;

export const shortened = (detail: string): string => detail.slice(0, MAX_DETAIL);

export const isFailure = (value: object): value is Failure => 'outcome' in value;

/** Runs `work` in a process of its own. Rejects only where `signal` aborts. */
export const isolated = async <T extends object>(
  { fork }: IsolatedDeps,
  milliseconds: number,
  signal: AbortSignal,
  work: (client: WorkerClient) => Promise<T>,
): Promise<T | Failure> => {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await withDedicatedWorker(fork, AbortSignal.any([deadline, signal]), work);
  } catch (error) {
    throwIfAborted(signal);
    if (deadline.aborted)
      return { outcome: 'timeout', detail: `no answer within ${Math.round(milliseconds / 1000)} seconds` };
    const hasCrashed = isAppError(error) && error.code === 'engine_crashed';
    if (!hasCrashed) return { outcome: 'failed', detail: shortened(messageOf(error)) };
    // The signal or exit code, then what the process wrote.
    const [detail = '', ...output] = messageOf(error.cause).split(': ');
    return { outcome: 'crashed', detail, output: output.join(': ').slice(-MAX_OUTPUT) };
  }
};

/** The words of a text, by which two readings are compared. */
export const wordsIn = (text: string): string =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
