import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import { AppError, isAppError, isFullDisk } from '../base/errors.ts';
import type { StopReason } from '../pipeline/types.ts';

export type JobFailure = { readonly code: JobErrorCode; readonly message: string };

const isJobCode = (code: string): code is JobErrorCode => JOB_ERROR_CODES.some((known) => known === code);

/** Anything thrown by a job, as the reason that its record keeps. `reason`: why it was told to stop, if it was. */
export const failureOf = (error: unknown, reason: unknown): JobFailure => {
  if (reason === ('cancelled' satisfies StopReason)) {
    return { code: 'cancelled', message: 'Cancelled. What was recognised up to then is kept.' };
  }
  if (isFullDisk(error)) {
    return {
      code: 'disk_full',
      message: 'The disk is full. Free some space, then try again: what was recognised so far is kept.',
    };
  }
  if (isAppError(error) && isJobCode(error.code)) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'Something went wrong inside Earshot. The log has the details.' };
};

/** How often the program may end uncleanly over a job, without any progress, before the job is given up. */
export const MOST_UNCLEAN_ENDS = 10;
/** From so many on, the job waits before it is begun again, so that it cannot keep the program down. */
export const SUSPICIOUS_UNCLEAN_ENDS = 3;

/** The wait before a job is begun again over which the program ended `times` in a row: 1 s, doubled each time. */
export const waitAfterUncleanEnds = (times: number): number => 1000 * 2 ** (times - SUSPICIOUS_UNCLEAN_ENDS);

export const tooManyUncleanEnds = (times: number): AppError =>
  new AppError(
    'interrupted',
    `Earshot itself ended ${times} times in a row while it worked on this recording. The text up to there is kept.`,
  );
