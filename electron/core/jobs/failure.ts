import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import { AppError, isAppError, isCausedByFullDisk } from '../base/errors.ts';
import type { StopReason } from '../pipeline/types.ts';

export type JobFailure = { readonly code: JobErrorCode; readonly message: string };

const isJobCode = (code: string): code is JobErrorCode => JOB_ERROR_CODES.some((known) => known === code);

/** The failure to store for what a job threw. `reason` is that of its aborted signal, if it was aborted. */
export const failureOf = (error: unknown, reason: unknown): JobFailure => {
  if (reason === ('cancelled' satisfies StopReason)) {
    return { code: 'cancelled', message: 'Cancelled. What was recognized up to then is kept.' };
  }
  if (isCausedByFullDisk(error)) {
    return {
      code: 'disk_full',
      message: 'The disk is full. Free some space, then try again: what was recognized so far is kept.',
    };
  }
  // No copy of the stored file is intact, or its disk is away.
  if (isAppError(error) && error.code === 'storage_unavailable') {
    return { code: 'file_not_found', message: error.message };
  }
  if (isAppError(error) && isJobCode(error.code)) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'Something went wrong inside Earshot. The log has the details.' };
};

/**
 * Consecutive crashes of the program during a job, without progress in between, after which the job fails. For crashes
 * of the engine alone see `MAX_ENGINE_CRASHES_PER_CHUNK` in pipeline/recognition/chunk-scheduler.ts.
 */
export const MAX_APP_CRASHES_PER_JOB = 10;
/** From this many consecutive crashes on, a job is deferred, so that it cannot keep the program from running. */
export const MIN_APP_CRASHES_TO_DEFER = 3;

/** Cooldown in ms before a job restarts after `crashes` consecutive app crashes: 1 s at the third, then doubling. */
export const cooldownAfterCrashes = (crashes: number): number =>
  1000 * 2 ** (crashes - MIN_APP_CRASHES_TO_DEFER);

export const tooManyAppCrashes = (crashes: number): AppError =>
  new AppError(
    'interrupted',
    `Earshot itself ended ${crashes} times in a row while it worked on this recording. The text up to there is kept.`,
  );
