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
 * An error for users. `code` is declared in the contract; `message` is a full sentence without paths, SQL or file
 * contents.
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

  /** The HTTP status of the code; 500 for codes of jobs. */
  get status(): number {
    return isHttpCode(this.code) ? ERROR_STATUS[this.code] : 500;
  }
}

/** Another process uses the data folder. */
export class FolderTakenError extends AppError {
  constructor(message: string) {
    super('conflict', message);
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError;

/** The `code` of a Node system error such as `ENOENT`, or undefined. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether an error's own code means a full disk or file-system quota. */
export const hasDiskFullCode = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(systemCode(error) ?? '');

/** Whether an error's own code means that SQLite found its file damaged. */
export const hasCorruptionCode = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? '');

/** Whether an error or any of its causes means a full disk or the user's storage limit. */
export const isCausedByFullDisk = (error: unknown): boolean => {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (
      hasDiskFullCode(at) ||
      (isAppError(at) && ['disk_full', 'storage_limit_exceeded'].includes(at.code))
    ) {
      return true;
    }
  }
  return false;
};

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
