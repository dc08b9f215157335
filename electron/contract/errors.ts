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
