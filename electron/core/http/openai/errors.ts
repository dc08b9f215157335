import type { JobError } from '../../../contract/job.ts';
import type { OpenAiError } from '../../../contract/openai.ts';
import { AppError, type AppErrorCode } from '../../base/errors.ts';

const typeOf = (status: number): string => {
  if (status === 402) return 'insufficient_quota';
  if (status === 401 || status === 403) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** OpenAI's names of the codes on which its clients depend. */
const CODES: Partial<Record<AppErrorCode, string>> = {
  unauthorized: 'invalid_api_key',
  budget_exceeded: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  model_not_installed: 'model_not_found',
};

/** An error in OpenAI's shape. */
export const openAiErrorBody = (error: AppError): OpenAiError => ({
  error: {
    message: error.message,
    type: typeOf(error.status),
    param: error.details[0]?.path ?? null,
    code: CODES[error.code] ?? error.code,
  },
});

/** Job errors that the request's file or model caused; all others but `cancelled` are the server's. */
const CLIENT_ERRORS: ReadonlySet<string> = new Set([
  'not_media',
  'no_audio_track',
  'decode_failed',
  'empty_range',
  'too_many_channels',
  'model_not_installed',
  'language_not_supported',
]);

/** Whether a job failed because of what the request sent. */
export const isRefusal = ({ code }: JobError): boolean => CLIENT_ERRORS.has(code);

/** The field that an error is about, if that is not the file. */
const FIELDS: Readonly<Record<string, string>> = {
  model_not_installed: 'model',
  language_not_supported: 'language',
};

/**
 * Converts the error of a failed job to the error of the request that waited for it. `x-should-retry` keeps OpenAI's
 * clients from sending the same file again, which would fail again.
 */
export const errorOfJob = (error: JobError): AppError => {
  const headers = { 'x-should-retry': 'false' };
  if (isRefusal(error)) {
    const path = FIELDS[error.code] ?? 'file';
    return new AppError('invalid_request', error.message, {
      details: [{ path, message: error.message }],
      headers,
    });
  }
  if (error.code === 'cancelled') return new AppError('conflict', error.message, { headers });
  const code =
    error.code === 'disk_full' || error.code === 'engine_unavailable' ? error.code : 'internal_error';
  return new AppError(code, error.message, { headers });
};
