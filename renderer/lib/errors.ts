import { ApiError } from '../../electron/contract/client.ts';
import {
  ERROR_STATUS,
  type ErrorCode,
  JOB_ERROR_CODES,
  type JobErrorCode,
} from '../../electron/contract/errors.ts';
import type { JobError } from '../../electron/contract/transcript.ts';
import type { Translate } from '../i18n/index.ts';

/** True for an answer that says the key is no longer good. */
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

type AnyErrorCode = ErrorCode | JobErrorCode;
const isErrorCode = (code: string): code is AnyErrorCode =>
  Object.hasOwn(ERROR_STATUS, code) || JOB_ERROR_CODES.some((known) => known === code);

/** The server speaks English, and more exactly than a code can; in another language the code's sentence is said. */
const localizeError = (code: string, own: string, t: Translate): string =>
  t.language !== 'en' && isErrorCode(code) ? t(`error.code.${code}`) : own;

/** A sentence for a person: what the server answered, or that it could not be reached. */
export const describeError = (error: unknown, t: Translate): string => {
  if (error instanceof ApiError) {
    const sentence = localizeError(error.code, error.message, t);
    // The server's own sentence often names the faults already.
    const details = error.details
      .map((detail) => detail.message)
      .filter((message) => !sentence.includes(message))
      .join('; ');
    return details === '' ? sentence : `${sentence} ${details}`;
  }
  return error instanceof TypeError ? t('error.unreachable') : t('error.unexpected');
};

/** Why a transcription failed. */
export const describeJobError = (error: JobError | undefined, t: Translate): string =>
  error === undefined || error.message === ''
    ? t('library.failedUnknown')
    : localizeError(error.code, error.message, t);
