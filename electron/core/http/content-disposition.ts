import { create } from 'content-disposition';

/**
 * The value of `Content-Disposition` (RFC 6266): an ASCII file name for old clients, and if it differs the full one
 * in UTF-8 (RFC 8187). Control characters are removed, path separators replaced.
 */
export const contentDisposition = (type: 'inline' | 'attachment', name: string): string => {
  const clean = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '')
    .replaceAll(/[/\\]/g, '-');
  const ascii = clean
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]/gu, '_');
  return create(clean, { type, fallback: ascii.replaceAll(/["%]/g, '_') });
};
