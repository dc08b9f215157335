import { AppError } from '../../base/errors.ts';
import type { NativeErrorCode } from './addon.ts';

const CODES = {
  invalid_argument: 'invalid_request',
  model_invalid: 'model_invalid',
  model_not_found: 'model_not_installed',
  model_closed: 'internal_error',
  aborted: 'cancelled',
  engine_failed: 'internal_error',
  out_of_memory: 'internal_error',
} as const satisfies Record<NativeErrorCode, AppError['code']>;

/** What the addon refused, as the program's own error. */
export const nativeFailure = (code: NativeErrorCode, message: string): AppError =>
  new AppError(CODES[code], message);

/** The process with the native code ended under a job. Trying again once, alone, is worth it. */
export const engineCrashed = (reason: string): AppError =>
  new AppError(
    'engine_crashed',
    'The speech engine ended unexpectedly while it was working on this recording.',
    {
      cause: new Error(reason),
    },
  );

export const engineUnavailable = (reason: string): AppError =>
  new AppError('engine_unavailable', `The speech engine does not work on this machine: ${reason}`);

export const cancelled = (): AppError => new AppError('cancelled', 'The recognition was cancelled.');

export const engineClosed = (): AppError =>
  new AppError('interrupted', 'The program closed during the recognition.');
