import { z } from 'zod';

/**
 * Every error code an HTTP answer can carry, declared once with its status.
 * The OpenAPI document and the documentation are made from this table.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  not_available: 400,
  unauthorized: 401,
  budget_exceeded: 402,
  forbidden: 403,
  origin_not_allowed: 403,
  signature_invalid: 403,
  signature_expired: 403,
  transcript_not_found: 404,
  file_not_found: 404,
  key_not_found: 404,
  user_not_found: 404,
  model_not_found: 404,
  delivery_not_found: 404,
  voice_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  transcript_not_ready: 409,
  not_cancellable: 409,
  not_retryable: 409,
  not_queued: 409,
  already_used: 409,
  conflict: 409,
  idempotency_mismatch: 409,
  file_too_large: 413,
  request_too_large: 413,
  unsupported_media_type: 415,
  unsupported_file_type: 415,
  range_not_satisfiable: 416,
  misdirected_request: 421,
  infected_file: 422,
  content_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  shutting_down: 503,
  engine_unavailable: 503,
  scanner_unavailable: 503,
  storage_unavailable: 503,
  storage_limit_exceeded: 507,
  disk_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** When each code is answered, as the documentation says it. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'malformed, or a field is unknown or has a wrong value; `details` names each.',
  not_available: 'this was not made for the transcription.',
  unauthorized: 'no key, or not a valid one.',
  budget_exceeded: 'the credit budget is spent.',
  forbidden: 'for the owner’s keys alone.',
  origin_not_allowed: 'a web page of another origin that is not let in.',
  signature_invalid: 'the signed address was altered.',
  signature_expired: 'the signed address is too old.',
  transcript_not_found: 'no such transcription of yours.',
  file_not_found: 'no such file of yours.',
  key_not_found: 'no such key of yours.',
  user_not_found: 'no such user.',
  model_not_found: 'no such model.',
  voice_not_found: 'no such remembered voice of yours.',
  delivery_not_found: 'no such delivery.',
  route_not_found: 'there is nothing at this address.',
  method_not_allowed: 'not with this method; `Allow` names those that are.',
  transcript_not_ready: 'it is being worked on, or failed.',
  not_cancellable: 'it is not being worked on.',
  not_retryable: 'it has not failed.',
  not_queued: 'it does not wait in the queue.',
  already_used: 'the address was used for an upload before.',
  conflict: 'the state of things does not allow it; the sentence says why.',
  idempotency_mismatch: 'the key came with another body before.',
  file_too_large: 'the file is larger than allowed.',
  request_too_large: 'the body is larger than allowed.',
  unsupported_media_type: 'not a Content-Type that is taken here.',
  unsupported_file_type: 'not a type of file that is taken here.',
  range_not_satisfiable: 'no part that was asked for lies in the file.',
  misdirected_request: 'the Host header does not name this server.',
  infected_file: 'the virus scan refused the file.',
  content_mismatch: 'the bytes are not what they were said to be.',
  rate_limited: 'too many requests; `Retry-After` says how long to wait.',
  internal_error: 'a fault of the server; its log has the details under the request’s id.',
  shutting_down: 'the server is about to end.',
  engine_unavailable: 'the speech engine cannot be started.',
  scanner_unavailable: 'the virus scanner does not answer.',
  storage_unavailable: 'a folder of the storage cannot be reached.',
  storage_limit_exceeded: 'the account’s storage is full.',
  disk_full: 'the disk is full.',
};

/** Why a transcription ended as `failed`: `error.code` of the transcript's record. */
export const JOB_ERROR_CODES = [
  'download_failed',
  'download_timeout',
  'download_too_large',
  'address_not_allowed',
  'offline',
  'not_media',
  'no_audio_track',
  'decode_failed',
  'empty_range',
  'file_not_found',
  'model_not_installed',
  'model_invalid',
  'engine_crashed',
  'engine_unavailable',
  'cancelled',
  'disk_full',
  'interrupted',
  'internal_error',
] as const;

export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

export const ErrorDetail = z.object({
  path: z.string().describe('The field, as a dotted path.'),
  message: z.string(),
});
export type ErrorDetail = z.output<typeof ErrorDetail>;

/** The one shape of every error answer. */
export const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.string().describe('A sentence for a person.'),
    code: z.string().describe('A stable code for a program.'),
    details: z.array(ErrorDetail).optional().describe('Only where there is something to list.'),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;
