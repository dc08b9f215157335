import { STATUS_CODES } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { AppError } from '../../base/errors.ts';
import type { OpenedResponse } from './types.ts';

const HINTS: Readonly<Record<number, string>> = {
  401: ' The address needs a login, or a link that carries one.',
  403: ' The address may need a login, or the link may have expired.',
  404: ' There is no file at this address.',
  410: ' The file was removed.',
  429: ' Too many requests were made; try again later.',
};

/** Statuses of a server that is busy or restarting. */
export const isTransientStatus = (status: number): boolean => [408, 425, 429, 502, 503, 504].includes(status);

/** Explains a response other than the file, as `download_failed`. */
export const explainStatus = (response: Pick<OpenedResponse, 'status' | 'url'>): AppError => {
  const { status } = response;
  const name = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const hint = HINTS[status] ?? (status >= 500 ? ' That is a fault of the server; try again later.' : '');
  return new AppError(
    'download_failed',
    `The server ${new URL(response.url).host} answered ${status}${name}.${hint}`,
  );
};

export type ContentRange = { readonly first: number; readonly last: number; readonly total: number | null };

/** Parses `bytes 0-99/1234` (or `/*`); null for anything else. */
export const parseContentRange = (header: string | undefined): ContentRange | null => {
  const match = /^\s*bytes\s+(\d+)-(\d+)\/(\d+|\*)\s*$/i.exec(header ?? '');
  if (match === null) return null;
  const [first, last] = [Number(match[1]), Number(match[2])];
  const total = match[3] === '*' ? null : Number(match[3]);
  if (!Number.isSafeInteger(last) || last < first || (total !== null && total <= last)) return null;
  return { first, last, total };
};

/** The number in a Content-Length header, or null. */
export const parseLength = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,15}$/.test(header.trim()) ? Number(header) : null;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);
/** As curl's. */
const MAX_ENCODINGS = 5;

/**
 * The decoders for a response, in their order. Servers encode although requests ask for `identity`; a name that is no encoding
 * (`aws-chunked`, `utf-8`, `binary`, `none`) stands over unchanged bytes.
 */
const decodersOf = (response: Pick<OpenedResponse, 'headers'>): (() => Transform)[] =>
  (response.headers['content-encoding'] ?? '')
    .split(',')
    .flatMap((name) => DECODERS.get(name.trim().toLowerCase()) ?? [])
    .reverse();

/** Whether the body differs from the file, so that neither its length nor its byte ranges are the file's. */
export const isEncoded = (response: Pick<OpenedResponse, 'headers'>): boolean =>
  decodersOf(response).length > 0;

/** The decoded body. Throws `download_failed` for one that was encoded too often. */
export const decodedBody = (response: OpenedResponse): Readable => {
  const decoders = decodersOf(response);
  if (decoders.length > MAX_ENCODINGS) {
    response.body.destroy();
    throw new AppError('download_failed', `The server packs the file more than ${MAX_ENCODINGS} times.`);
  }
  // `pipeline` destroys each decoder with the error of what it reads, which reaches the reader that way.
  return decoders.reduce<Readable>(
    (body, createDecoder) => pipeline(body, createDecoder(), () => undefined),
    response.body,
  );
};
