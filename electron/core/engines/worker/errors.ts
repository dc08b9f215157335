import { AppError } from '../../base/errors.ts';

/** The worker process ended while it ran a task. One retry with `exclusive` finds out which task is at fault. */
export const engineCrashed = (reason: string): AppError =>
  new AppError(
    'engine_crashed',
    'The speech engine ended unexpectedly while it was working on this recording.',
    { cause: new Error(reason) },
  );

export const engineUnavailable = (reason: string): AppError =>
  new AppError('engine_unavailable', `The speech engine does not work on this machine: ${reason}`);

export const engineClosed = (): AppError =>
  new AppError('interrupted', 'The program closed during the recognition.');

export const taskCancelled = (): AppError => new AppError('cancelled', 'The recognition was cancelled.');
