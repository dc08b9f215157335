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
  suggestion_not_found: 404,
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
  library_damaged: 503,
  shutting_down: 503,
  engine_unavailable: 503,
  scanner_unavailable: 503,
  storage_unavailable: 503,
  storage_limit_exceeded: 507,
  disk_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** When each code is answered, for the documentation. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'the request is malformed, or a field is unknown or invalid; `details` lists each, up to 100.',
  not_available: 'this result was not requested for the transcription.',
  unauthorized: 'the key is missing or invalid.',
  budget_exceeded: 'the credit budget is spent, or does not cover the transcription.',
  forbidden: 'only the owner’s keys may do this.',
  origin_not_allowed: 'the web origin is not allowed.',
  signature_invalid: 'the signature does not match the address.',
  signature_expired: 'the signed address has expired.',
  transcript_not_found: 'you have no transcription with this id.',
  file_not_found: 'you have no file with this key.',
  key_not_found: 'you have no API key with this id.',
  user_not_found: 'there is no user with this id.',
  model_not_found: 'there is no model with this id.',
  voice_not_found: 'you have no remembered voice with this id.',
  suggestion_not_found: 'there is no such suggestion, or no longer.',
  delivery_not_found: 'there is no delivery with this id.',
  route_not_found: 'there is no operation at this path.',
  method_not_allowed: 'the path does not support this method; `Allow` lists those it does.',
  transcript_not_ready: 'the transcription is in progress, or has failed.',
  not_cancellable: 'the transcription is not in progress.',
  not_retryable: 'the transcription has not failed.',
  not_queued: 'the transcription is not waiting in the queue.',
  already_used: 'the address has been used for an upload.',
  conflict: 'the current state does not allow it; `error` says why.',
  idempotency_mismatch: 'the idempotency key was used with another body.',
  file_too_large: 'the file exceeds the size limit.',
  request_too_large: 'the body exceeds the size limit.',
  unsupported_media_type: 'the Content-Type is not supported.',
  unsupported_file_type: 'the file type is not supported.',
  range_not_satisfiable: 'no requested range lies within the file.',
  misdirected_request: 'the Host header does not name this server.',
  infected_file: 'the virus scan refused the file.',
  content_mismatch: 'the content does not match the declared type, size or name.',
  rate_limited: 'too many requests; `Retry-After` is the time to wait.',
  internal_error: 'the server failed; its log has the details under the request’s id.',
  library_damaged: 'the database is damaged; `earshot doctor` says what can be done.',
  shutting_down: 'the server is shutting down.',
  engine_unavailable: 'the speech engine cannot start.',
  scanner_unavailable: 'the virus scanner does not respond.',
  storage_unavailable: 'a storage folder is out of reach, or no intact copy of a file is left.',
  storage_limit_exceeded: 'the user’s storage quota is used up.',
  disk_full: 'the disk is full.',
};

/** Why a transcription failed: `error.code` of the transcription. */
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
  'too_many_channels',
  'file_not_found',
  'model_not_installed',
  'model_invalid',
  'language_not_supported',
  'language_uncertain',
  'too_little_speech',
  'engine_crashed',
  'engine_unavailable',
  'budget_exceeded',
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

/** The body of every error answer. */
export const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.string().describe('A sentence for people.'),
    code: z.string().describe('A stable code for programs.'),
    details: z.array(ErrorDetail).optional().describe('Present if single fields are at fault.'),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;
