import type { ErrorCode } from '../errors.ts';

/** Errors of uploads through a vendor's API. */
export const UPLOAD_ERRORS = [
  'file_too_large',
  'unsupported_file_type',
  'infected_file',
  'content_mismatch',
  'scanner_unavailable',
  'storage_limit_exceeded',
  'disk_full',
] as const satisfies ErrorCode[];
export const JOB_ERRORS = ['budget_exceeded', 'engine_unavailable'] as const satisfies ErrorCode[];
