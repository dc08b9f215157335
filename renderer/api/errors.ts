import { ApiError } from '../../electron/contract/client.ts';
import {
  ERROR_STATUS,
  type ErrorCode,
  JOB_ERROR_CODES,
  type JobErrorCode,
} from '../../electron/contract/errors.ts';
import type { JobError } from '../../electron/contract/job.ts';
import type { Translate } from '../i18n/index.ts';

/** True if the server rejected the key. */
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** True if the server found its database damaged. */
export const isDamagedLibrary = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'library_damaged';

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

type AnyErrorCode = ErrorCode | JobErrorCode;
const isErrorCode = (code: string): code is AnyErrorCode =>
  Object.hasOwn(ERROR_STATUS, code) || JOB_ERROR_CODES.some((known) => known === code);

/** Messages that name settings as the command line does. */
const NAMES_SETTINGS: ReadonlySet<string> = new Set<AnyErrorCode>(['address_not_allowed']);

/** The server's English message is more specific than its code; other languages translate the code. */
const localizeError = (code: string, message: string, t: Translate): string =>
  (t.language !== 'en' || NAMES_SETTINGS.has(code)) && isErrorCode(code) ? t(`error.code.${code}`) : message;

/** A localized message for an error of an API call. */
export const describeError = (error: unknown, t: Translate): string => {
  if (error instanceof ApiError) {
    const sentence = localizeError(error.code, error.message, t);
    // The server's message often contains the details.
    const details = error.details
      .map((detail) => detail.message)
      .filter((message) => !sentence.includes(message))
      .join('; ');
    return details === '' ? sentence : `${sentence} ${details}`;
  }
  return error instanceof TypeError ? t('error.unreachable') : t('error.unexpected');
};

/** A localized reason for a failed transcription. */
export const describeJobError = (error: JobError | undefined, t: Translate): string =>
  error === undefined || error.message === ''
    ? t('library.failedUnknown')
    : localizeError(error.code, error.message, t);
