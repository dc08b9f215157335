import { ERROR_STATUS, type ErrorCode, type ErrorDetail, type JobErrorCode } from '../../contract/errors.ts';

export type AppErrorCode = ErrorCode | JobErrorCode;

type AppErrorOptions = {
  cause?: unknown;
  details?: ErrorDetail[];
  /** Further response headers, e.g. `Retry-After`. */
  headers?: Record<string, string>;
};

const isHttpCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code);

/**
 * An error that a person is meant to read. `code` is one of the declared codes;
 * `message` is a whole sentence, without paths, SQL or contents of files.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly details: ErrorDetail[];
  readonly headers: Record<string, string>;

  constructor(code: AppErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }

  /** The HTTP status of this code; a code that only jobs use is a 500 when it reaches HTTP. */
  get status(): number {
    return isHttpCode(this.code) ? ERROR_STATUS[this.code] : 500;
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError;

/** The `code` of a Node system error such as `ENOENT`, or undefined. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether an error says that there is no room left on the device or in the quota. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(systemCode(error) ?? '');

/** Whether the disk is full behind an error, however deep it is wrapped. */
export const isFullDisk = (error: unknown): boolean => {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isDiskFull(at) || (isAppError(at) && ['disk_full', 'storage_limit_exceeded'].includes(at.code))) {
      return true;
    }
  }
  return false;
};

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
